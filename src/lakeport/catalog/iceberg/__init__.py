"""Tables on Apache Iceberg: the one folder that knows PyIceberg."""
