import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What one writes first: reads lines, puts them into Guava's filter, writes it. */
public final class LinesIntoGuava {
  private LinesIntoGuava() {}

  /** Arguments: the lines, how many there are, the filter to write. */
  public static void main(String[] arguments) throws Exception {
    BloomFilter<CharSequence> filter =
        BloomFilter.create(
            Funnels.stringFunnel(StandardCharsets.UTF_8), Long.parseLong(arguments[1]), 0.01);
    try (BufferedReader lines = Files.newBufferedReader(Path.of(arguments[0]))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        filter.put(line);
      }
    }
    try (OutputStream out = new BufferedOutputStream(new FileOutputStream(arguments[2]))) {
      filter.writeTo(out);
    }
  }
}
