import java.io.FileOutputStream;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.codehaus.janino.SimpleCompiler;

/** A file of Java into a jar: `SOURCE JAR`. In the Java of Janino, which has no generics to iterate over. */
public class Jar {

    public static void main(String[] words) throws Exception {
        SimpleCompiler compiler = new SimpleCompiler();
        compiler.cookFile(words[0]);
        ZipOutputStream jar = new ZipOutputStream(new FileOutputStream(words[1]));
        for (Object each : new TreeMap(compiler.getBytecodes()).entrySet()) {
            Map.Entry made = (Map.Entry) each;
            jar.putNextEntry(new ZipEntry(((String) made.getKey()).replace('.', '/') + ".class"));
            jar.write((byte[]) made.getValue());
        }
        jar.close();
    }
}
