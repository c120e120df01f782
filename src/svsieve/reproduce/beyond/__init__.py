"""What the library reaches on the data of the sources with a protocol of its own."""
