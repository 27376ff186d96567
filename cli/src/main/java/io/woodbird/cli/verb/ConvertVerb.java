package io.woodbird.cli.verb;

import io.woodbird.CorruptFilterException;
import io.woodbird.classic.ClassicFilter;
import io.woodbird.classic.ForeignFilter;
import io.woodbird.classic.Scheme;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.Json;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code convert}: filters of other libraries to and from {@code .wbird}, bit for bit. */
public final class ConvertVerb implements Verb {
  private static final String[] FORMS = {
    "guava", "redisson", "bits", "dcso", "fuse8", "fuse16", "parquet", "redisbloom", "wbird"
  };

  @Override
  public Spec spec() {
    return Spec.of("convert", "filters of Guava and others to and from .wbird")
        .arguments("FILE", 1, 1)
        .about(
            """
            The same bits in another form; no key is lost and none is needed. Forms: guava (what
            BloomFilter.writeTo writes), redisson (the value of its Redis key), bits (the bare bits, as
            java.util.BitSet.toByteArray gives them), dcso (the files of DCSO's bloom, as CIRCL ships them),
            fuse8 and fuse16 (binary fuse filters of Go's xorfilter), parquet (the Bloom filter of a column in a
            Parquet file, with its header), redisbloom (the data of all BF.SCANDUMP chunks, one after another)
            and wbird, which adds checksums and the name of the form, and can be asked by 'check'. The bare
            forms need --bits and --hashes, bits also --scheme.

            A filter that woodbird built can't become Guava's: its bits follow another hash. Build a new one
            from the keys.""")
        .options(
            Option.file("output", "the new file").letter('o'),
            Option.value("from", "FORM", "one of the forms above (default: wbird or guava)")
                .choices(FORMS),
            Option.value("to", "FORM", "default: wbird; from wbird, the form that it holds")
                .choices(FORMS),
            Option.value(
                    "scheme",
                    "NAME",
                    "how the bits were placed: " + String.join(", ", Scheme.names()))
                .choices(Scheme.names().toArray(new String[0])),
            Option.value("bits", "N", "how many bits the filter has"),
            Option.value("hashes", "N", "how many of them a key sets"),
            Option.flag("force", "overwrite the output").letter('f'),
            Option.flag("json", "one JSON object, schema woodbird.convert/1"))
        .example(
            "woodbird convert users.guava -o users.wbird", "Guava's filter, now with checksums")
        .example("woodbird convert users.wbird -o users.guava", "and back, bit for bit")
        .example(
            "woodbird convert circl.bloom --from dcso -o circl.wbird",
            "a hash list of CIRCL, to be asked by 'check'")
        .example(
            "woodbird convert f.bin --from bits --scheme djb2-sdbm --bits 9585 --hashes 7 -o f.wbird",
            "the bits of a scheme from an article")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    Source source = Source.of(call.words().get(0));
    Path input = source.path();
    if (input == null) {
      throw Problem.CANNOT_READ.failure("'convert' reads a file, not stdin.", "");
    }
    Target target = Target.of(call, null, List.of(source));
    Path output = target.requireFile(call);
    boolean wbird = isWbird(input);
    String from = call.text("from", wbird ? "wbird" : "guava");
    if (ForeignFilter.formats().contains(from)
        || (from.equals("wbird") && wbird && Filters.header(input).isForeign())) {
      return foreign(call, input, from, target, output);
    }
    ClassicFilter filter;
    try {
      filter = read(call, input, from);
    } catch (CorruptFilterException e) {
      throw wbird || call.has("from") ? Filters.damaged(input, e) : unknownForm(input, e);
    } catch (IllegalArgumentException e) {
      throw Filters.impossible(Problem.BAD_VALUE, e);
    }
    String to = call.text("to", from.equals("wbird") ? formOf(filter) : "wbird");
    try {
      write(filter, to, output);
    } catch (IOException e) {
      throw target.failed(e);
    }
    report(call, target.name(), Files.size(output), to, filter);
    return ExitCode.DONE;
  }

  /** Converts a filter whose format knows its own size. */
  private static int foreign(Call call, Path input, String from, Target target, Path output)
      throws IOException {
    ForeignFilter filter;
    try (InputStream in = Filters.buffered(input)) {
      filter = from.equals("wbird") ? Filters.foreign(input) : ForeignFilter.read(from, in);
    } catch (CorruptFilterException e) {
      throw Filters.damaged(input, e);
    }
    String to = call.text("to", from.equals("wbird") ? filter.format() : "wbird");
    if (!to.equals("wbird") && !to.equals(filter.format())) {
      throw noForm(filter.format(), to, "Its bits follow another hash.", filter.format(), null);
    }
    try {
      if (to.equals("wbird")) {
        filter.save(output);
      } else {
        writeFile(output, filter::writeTo);
      }
    } catch (IOException e) {
      throw target.failed(e);
    }
    long bytes = Files.size(output);
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.convert/1")
              .put("file", target.name())
              .put("form", to)
              .put("scheme", filter.format())
              .put("bytes", bytes));
    } else {
      call.voice().say(target.name() + "  " + to + ", " + Units.bytes(bytes) + ", " + filter);
    }
    return ExitCode.DONE;
  }

  /** Nobody said that it is one of Guava's, so that it is not one need not be damage. */
  private static Failure unknownForm(Path input, CorruptFilterException e) {
    return Problem.NOT_A_FILTER.failure(
        e,
        input + " is neither a .wbird file nor a whole filter of Guava.",
        "As one of Guava: " + e.getMessage(),
        "--from FORM (what wrote it: " + String.join(", ", FORMS) + ")");
  }

  private static Failure noForm(
      String scheme, String form, String why, String other, @Nullable Throwable cause) {
    String what = "a filter of " + scheme + " has no form \"" + form + "\".";
    return Problem.WRONG_FAMILY.failure(cause, what, why, "--to " + other, "--to wbird");
  }

  private static boolean isWbird(Path path) throws IOException {
    try {
      Filters.header(path);
      return true;
    } catch (Failure e) {
      if (e.problem() == Problem.CANNOT_READ) {
        throw e;
      }
      return e.problem() != Problem.NOT_A_FILTER;
    }
  }

  private static String formOf(ClassicFilter filter) {
    String scheme = filter.scheme().name();
    return scheme.startsWith("guava") ? "guava" : scheme.equals("redisson") ? scheme : "bits";
  }

  private static ClassicFilter read(Call call, Path path, String form) throws IOException {
    try (InputStream in = Filters.buffered(path)) {
      return switch (form) {
        case "guava" -> {
          ClassicFilter filter = ClassicFilter.read("guava", in);
          Filters.requireEnd(in);
          yield filter;
        }
        case "redisson" ->
            ClassicFilter.ofRedisson(in.readAllBytes(), bits(call, form), hashes(call, form));
        case "bits" -> bare(call, in.readAllBytes(), path);
        default -> Filters.scheme(path);
      };
    }
  }

  private static ClassicFilter bare(Call call, byte[] bytes, Path path)
      throws CorruptFilterException {
    String name = call.text("scheme");
    if (name == null) {
      throw Problem.MISSING.failure(
          "--from bits needs --scheme, --bits and --hashes.",
          "Bare bits do not say how they were placed.",
          "--scheme djb2-sdbm --bits 9585 --hashes 7");
    }
    long bits = bits(call, "bits");
    ClassicFilter empty = Scheme.of(name).filterOf(bits, hashes(call, "bits"));
    long[] words = new long[(int) ((empty.bits() + 63) / 64)];
    // BitSet does not write zero bytes at its end.
    if (bytes.length > 8L * words.length) {
      throw new CorruptFilterException(
          "%s: %s bits are at most %s bytes: %s"
              .formatted(path, bits, 8L * words.length, bytes.length));
    }
    long missing = (bits + 7) / 8 - bytes.length;
    if (missing > 0) {
      call.warn(
          "%s lacks %s at its end, taken for zeros, as BitSet leaves them out; was it cut?",
          path, Units.count(missing, "byte"));
    }
    ByteBuffer padded = ByteBuffer.allocate(8 * words.length).order(ByteOrder.LITTLE_ENDIAN);
    padded.put(bytes).clear();
    padded.asLongBuffer().get(words);
    return ClassicFilter.ofLongArray(empty.scheme(), bits, empty.hashes(), words);
  }

  private static long bits(Call call, String form) {
    return required(call, "bits", form);
  }

  private static int hashes(Call call, String form) {
    return (int) Math.min(Integer.MAX_VALUE, required(call, "hashes", form));
  }

  private static long required(Call call, String option, String form) {
    if (!call.has(option)) {
      throw Problem.MISSING.failure(
          "--from " + form + " needs --" + option + ".",
          form.equals("redisson")
              ? "They stand in the Redis hash {name}:config, as size and hashIterations."
              : "Bare bits do not say it.",
          "--bits 9585 --hashes 7");
    }
    return call.count(option, 0);
  }

  private static void write(ClassicFilter filter, String form, Path path) throws IOException {
    if (form.equals("wbird")) {
      filter.save(path);
      return;
    }
    try {
      writeFile(
          path,
          out -> {
            switch (form) {
              case "guava" -> filter.writeTo("guava", out);
              case "redisson" -> out.write(ClassicFilter.toRedisson(filter));
              case "bits" -> writeBits(filter, out);
              default -> throw new IllegalArgumentException("Its bits follow another hash.");
            }
          });
    } catch (IllegalArgumentException e) {
      throw noForm(filter.scheme().name(), form, "" + e.getMessage(), "bits", e);
    }
  }

  /** Writes the bytes of a form. */
  private interface Writer {
    void write(OutputStream out) throws IOException;
  }

  /** Writes a file completely or not at all. */
  private static void writeFile(Path path, Writer writer) throws IOException {
    // The name and the lock tell the next save in the folder that a killed one left this file.
    Path part = path.resolveSibling(".converted." + UUID.randomUUID() + ".wbird.tmp");
    try (FileChannel channel =
        FileChannel.open(part, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
      lock(channel);
      keepPermissions(path, part);
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
      writer.write(out);
      out.flush();
      channel.force(true);
      Files.move(part, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /** A file that only its owner may read stays so. */
  private static void keepPermissions(Path old, Path file) throws IOException {
    if (Files.exists(old) && Files.getFileStore(old).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(file, Files.getPosixFilePermissions(old));
    }
  }

  /**
   * Locks a file until its channel is closed, so that no other save removes it. A file system may
   * have no locks: then saves remove no such file either, or the rename fails because it is gone.
   */
  private static void lock(FileChannel channel) {
    try {
      FileLock unused = channel.tryLock();
    } catch (IOException e) {
      return;
    }
  }

  private static void writeBits(ClassicFilter filter, OutputStream out) throws IOException {
    ByteBuffer word = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
    for (long bits : filter.toLongArray()) {
      out.write(word.putLong(0, bits).array());
    }
  }

  private static void report(Call call, String name, long bytes, String form, ClassicFilter filter)
      throws IOException {
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.convert/1")
              .put("file", name)
              .put("form", form)
              .put("scheme", filter.scheme().name())
              .put("bits", filter.bits())
              .put("hashes", filter.hashes())
              .put("fill", filter.fill())
              .put("bytes", bytes));
    } else {
      call.voice().say(name + "  " + form + ", " + Units.bytes(bytes) + ", " + filter);
    }
  }
}
