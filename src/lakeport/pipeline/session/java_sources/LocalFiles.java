package lakeport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** Files on this machine as Hadoop has them, without a file of checksums beside each and a process for each permission. */
public class LocalFiles extends LocalFileSystem {

    public LocalFiles() {
        super(new Bare());
        setWriteChecksum(false);
        setVerifyChecksum(false);
    }

    public static class Bare extends RawLocalFileSystem {
        public void setPermission(Path file, FsPermission wanted) throws IOException {
            if (wanted.toShort() > 0777) {  // more than nine letters can say
                super.setPermission(file, wanted);
                return;
            }
            Files.setPosixFilePermissions(
                pathToFile(file).toPath(), PosixFilePermissions.fromString(wanted.toString()));
        }
    }
}
