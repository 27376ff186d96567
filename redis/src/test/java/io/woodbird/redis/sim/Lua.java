package io.woodbird.redis.sim;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.OneArgFunction;
import org.luaj.vm2.lib.VarArgFunction;
import org.luaj.vm2.lib.jse.JsePlatform;

/**
 * Runs scripts as Redis does. The interpreter is LuaJ: plain Java, and its strings are bytes; each
 * script is compiled once. It speaks Lua 5.2, so what 5.1 has beside it ({@code unpack}) is added,
 * and {@code string.format}, which ignores a precision, is replaced.
 */
final class Lua {
  /** What a script calls. */
  interface Calls {
    @Nullable Object call(byte[][] words);
  }

  /**
   * A compiled script.
   *
   * @param flags what stands behind {@code flags=} in its first line, or null if it has no such
   *     line
   */
  record Script(String sha, Prototype code, @Nullable String flags) {}

  private static final Globals COMPILER = JsePlatform.standardGlobals();
  private static final Map<String, Script> BY_TEXT = new HashMap<>();
  private static final Map<String, Script> BY_SHA = new HashMap<>();

  /** The scripts of this library are the same arrays each time. */
  private static final Map<byte[], Script> BY_ARRAY = new IdentityHashMap<>();

  private final Globals globals = JsePlatform.standardGlobals();
  private @Nullable Calls calls;

  Lua() {
    globals.set("unpack", globals.get("table").get("unpack"));
    LuaTable redis = new LuaTable();
    redis.set("call", new Call(true));
    redis.set("pcall", new Call(false));
    redis.set("error_reply", new Wrap("err"));
    redis.set("status_reply", new Wrap("ok"));
    redis.set("sha1hex", new Sha());
    globals.set("redis", redis);
    globals.get("string").set("format", new Format());
  }

  /** Compiles a script, once for each text. */
  static synchronized Script compile(byte[] source) {
    return BY_ARRAY.size() < 1000
        ? BY_ARRAY.computeIfAbsent(source, Lua::compileText)
        : compileText(source);
  }

  private static Script compileText(byte[] source) {
    String text = Reply.text(source);
    Script known = BY_TEXT.get(text);
    if (known != null) {
      return known;
    }
    String flags = null;
    String body = text;
    if (text.startsWith("#!")) {
      int end = text.indexOf('\n');
      String first = text.substring(0, end < 0 ? text.length() : end);
      int at = first.indexOf("flags=");
      flags = at < 0 ? "" : first.substring(at + 6).trim();
      body = "--" + text;
    }
    try {
      Prototype code =
          COMPILER.compilePrototype(new ByteArrayInputStream(Reply.bytes(body)), "@user_script");
      Script script = new Script(sha1(source), code, flags);
      BY_TEXT.put(text, script);
      BY_SHA.put(script.sha, script);
      return script;
    } catch (IOException | LuaError e) {
      throw new Reply.Refusal("ERR Error compiling script (new function): " + e.getMessage());
    }
  }

  static synchronized @Nullable Script bySha(String sha) {
    return BY_SHA.get(sha.toLowerCase(Locale.ROOT));
  }

  private static String sha1(byte[] text) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs a script. */
  @Nullable Object run(Script script, byte[][] words, int firstKey, int keyCount, Calls with) {
    globals.set("KEYS", table(words, firstKey, firstKey + keyCount));
    globals.set("ARGV", table(words, firstKey + keyCount, words.length));
    calls = with;
    try {
      return reply(new LuaClosure(script.code, globals).call());
    } catch (LuaError e) {
      LuaValue object = e.getMessageObject();
      if (object != null && object.istable() && object.get("err").isstring()) {
        return new Reply.Failure(Reply.text(bytes(object.get("err"))));
      }
      return new Reply.Failure("ERR " + e.getMessage());
    } finally {
      calls = null;
    }
  }

  private static LuaTable table(byte[][] words, int from, int to) {
    LuaTable table = new LuaTable(to - from, 0);
    for (int i = from; i < to; i++) {
      table.set(i - from + 1, LuaString.valueOf(words[i]));
    }
    return table;
  }

  private static byte[] bytes(LuaValue value) {
    if (value.type() == LuaValue.TNUMBER) {
      double number = value.todouble();
      return number == Math.rint(number) && Math.abs(number) < 1e17
          ? Reply.bytes(Long.toString((long) number))
          : Reply.bytes(String.format(Locale.ROOT, "%.17g", number));
    }
    LuaString string = value.checkstring();
    byte[] bytes = new byte[string.length()];
    string.copyInto(0, bytes, 0, bytes.length);
    return bytes;
  }

  private static @Nullable Object reply(LuaValue value) {
    switch (value.type()) {
      case LuaValue.TNUMBER:
        return (long) value.todouble();
      case LuaValue.TBOOLEAN:
        return value.toboolean() ? 1L : null;
      case LuaValue.TSTRING:
        return bytes(value);
      case LuaValue.TTABLE:
        if (value.get("err").isstring()) {
          return new Reply.Failure(Reply.text(bytes(value.get("err"))));
        }
        if (value.get("ok").isstring()) {
          return bytes(value.get("ok"));
        }
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = 1; !value.get(i).isnil(); i++) {
          list.add(reply(value.get(i)));
        }
        return list;
      default:
        return null;
    }
  }

  private static LuaValue value(@Nullable Object reply) {
    if (reply == null) {
      return LuaValue.FALSE;
    }
    if (reply == Reply.OK) {
      return status("ok", "OK");
    }
    if (reply instanceof byte[] bytes) {
      return LuaString.valueOf(bytes);
    }
    if (reply instanceof Long number) {
      return LuaValue.valueOf((double) number);
    }
    if (reply instanceof Reply.Failure failure) {
      return status("err", failure.message());
    }
    LuaTable table = new LuaTable();
    int at = 1;
    for (Object part : (List<?>) reply) {
      table.set(at++, value(part));
    }
    return table;
  }

  private static LuaTable status(String name, String text) {
    LuaTable table = new LuaTable();
    table.set(name, LuaString.valueOf(Reply.bytes(text)));
    return table;
  }

  /** {@code redis.call} and {@code redis.pcall}. */
  private final class Call extends VarArgFunction {
    private final boolean raises;

    Call(boolean raises) {
      this.raises = raises;
    }

    @Override
    public Varargs invoke(Varargs arguments) {
      byte[][] words = new byte[arguments.narg()][];
      for (int i = 0; i < words.length; i++) {
        words[i] = bytes(arguments.arg(i + 1));
      }
      Calls with = calls;
      if (with == null) {
        throw new IllegalStateException("no script runs");
      }
      LuaValue value = value(with.call(words));
      if (raises && value.istable() && value.get("err").isstring()) {
        throw new LuaError(value);
      }
      return value;
    }
  }

  /** A table with one field. */
  private static final class Wrap extends OneArgFunction {
    private final String field;

    Wrap(String field) {
      this.field = field;
    }

    @Override
    public LuaValue call(LuaValue text) {
      return status(field, Reply.text(bytes(text)));
    }
  }

  /** {@code redis.sha1hex}. */
  private static final class Sha extends OneArgFunction {
    @Override
    public LuaValue call(LuaValue text) {
      return LuaValue.valueOf(sha1(bytes(text)));
    }
  }

  /** {@code string.format} for %d, %s, %x and %.nf. */
  private static final class Format extends VarArgFunction {
    @Override
    public Varargs invoke(Varargs arguments) {
      String format = Reply.text(bytes(arguments.arg1()));
      if (format.equals("%.0f")) { // All that our scripts use.
        return LuaString.valueOf(
            Reply.bytes(Long.toString((long) Math.rint(arguments.arg(2).checkdouble()))));
      }
      StringBuilder out = new StringBuilder();
      int argument = 2;
      for (int i = 0; i < format.length(); i++) {
        char c = format.charAt(i);
        if (c != '%') {
          out.append(c);
          continue;
        }
        int from = i++;
        while (!Character.isLetter(format.charAt(i)) && format.charAt(i) != '%') {
          i++;
        }
        String part = format.substring(from, i + 1);
        out.append(
            switch (format.charAt(i)) {
              case '%' -> "%";
              case 'd', 'x', 'X' ->
                  String.format(Locale.ROOT, part, (long) arguments.arg(argument++).checkdouble());
              case 's' -> String.format(part, Reply.text(bytes(arguments.arg(argument++))));
              default -> String.format(Locale.ROOT, part, arguments.arg(argument++).checkdouble());
            });
      }
      return LuaString.valueOf(Reply.bytes(out.toString()));
    }
  }
}
