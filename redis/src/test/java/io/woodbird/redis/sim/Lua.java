package io.woodbird.redis.sim;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
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

  /** A text is made into a string of Lua once, as a script names them all the time. */
  private static final LuaString KEYS = LuaString.valueOf("KEYS");

  private static final LuaString ARGV = LuaString.valueOf("ARGV");
  private static final LuaString OK = LuaString.valueOf("ok");
  private static final LuaString ERR = LuaString.valueOf("err");
  private static final byte[] WHOLE_NUMBER = Reply.bytes("%.0f");

  private final Globals globals = JsePlatform.standardGlobals();
  private final Map<String, Script> byText = new HashMap<>();
  private final Map<String, Script> bySha = new HashMap<>();

  /** The scripts of this library are the same arrays each time. */
  private final Map<byte[], Script> byArray = new IdentityHashMap<>();

  private final Map<Script, LuaClosure> closures = new IdentityHashMap<>();
  private @Nullable Calls calls;

  Lua() {
    globals.set("unpack", globals.get("table").get("unpack"));
    LuaTable redis = new LuaTable();
    redis.set("call", new Call(true));
    redis.set("pcall", new Call(false));
    redis.set("error_reply", new Wrap(ERR));
    redis.set("status_reply", new Wrap(OK));
    redis.set("sha1hex", new Sha());
    globals.set("redis", redis);
    globals.get("string").set("format", new Format());
  }

  /** Compiles a script, once for each text. */
  Script compile(byte[] source) {
    Script known = byArray.get(source);
    if (known == null) {
      known = compileText(source);
      if (byArray.size() < 1000) {
        byArray.put(source, known);
      }
    }
    return known;
  }

  private Script compileText(byte[] source) {
    String text = Reply.text(source);
    Script known = byText.get(text);
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
          globals.compilePrototype(new ByteArrayInputStream(Reply.bytes(body)), "@user_script");
      Script script = new Script(sha1(source), code, flags);
      byText.put(text, script);
      bySha.put(script.sha, script);
      return script;
    } catch (IOException | LuaError e) {
      throw new Reply.Refusal("ERR Error compiling script (new function): " + e.getMessage());
    }
  }

  /** Finds a script by its hash, in small letters. */
  @Nullable Script bySha(String sha) {
    return bySha.get(sha);
  }

  static String sha1(byte[] text) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs a script. */
  @Nullable Object run(Script script, byte[][] words, int firstKey, int keyCount, Calls with) {
    globals.rawset(KEYS, table(words, firstKey, firstKey + keyCount));
    globals.rawset(ARGV, table(words, firstKey + keyCount, words.length));
    calls = with;
    try {
      return reply(closure(script).call());
    } catch (LuaError e) {
      LuaValue object = e.getMessageObject();
      if (object != null && object.istable() && object.get(ERR).isstring()) {
        return new Reply.Failure(Reply.text(bytes(object.get(ERR))));
      }
      return new Reply.Failure("ERR " + e.getMessage());
    } finally {
      calls = null;
    }
  }

  private LuaClosure closure(Script script) {
    LuaClosure known = closures.get(script);
    if (known == null) {
      known = new LuaClosure(script.code, globals);
      closures.put(script, known);
    }
    return known;
  }

  private static LuaTable table(byte[][] words, int from, int to) {
    LuaTable table = new LuaTable(to - from, 0);
    for (int i = from; i < to; i++) {
      table.rawset(i - from + 1, LuaString.valueUsing(words[i]));
    }
    return table;
  }

  /** The bytes of a string or a number; nobody changes them, here or in Lua. */
  private static byte[] bytes(LuaValue value) {
    if (value.type() == LuaValue.TNUMBER) {
      double number = value.todouble();
      return number == Math.rint(number) && Math.abs(number) < 1e17
          ? Reply.bytes(Long.toString((long) number))
          : Reply.bytes(String.format(Locale.ROOT, "%.17g", number));
    }
    LuaString string = value.checkstring();
    if (string.length() == string.m_bytes.length) {
      return string.m_bytes;
    }
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
        LuaValue error = value.get(ERR);
        if (error.isstring()) {
          return new Reply.Failure(Reply.text(bytes(error)));
        }
        LuaValue status = value.get(OK);
        if (status.isstring()) {
          return bytes(status);
        }
        List<@Nullable Object> list = new ArrayList<>();
        LuaValue part = value.get(1);
        for (int i = 2; !part.isnil(); i++) {
          list.add(reply(part));
          part = value.get(i);
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
      return status(OK, "OK");
    }
    if (reply instanceof byte[] bytes) {
      return LuaString.valueUsing(bytes);
    }
    if (reply instanceof Long number) {
      return LuaValue.valueOf((double) number);
    }
    if (reply instanceof Reply.Failure failure) {
      return status(ERR, failure.message());
    }
    List<?> parts = (List<?>) reply;
    LuaTable table = new LuaTable(parts.size(), 0);
    int at = 1;
    for (Object part : parts) {
      table.rawset(at++, value(part));
    }
    return table;
  }

  private static LuaTable status(LuaString name, String text) {
    LuaTable table = new LuaTable();
    table.rawset(name, LuaString.valueOf(Reply.bytes(text)));
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
      if (raises && value.istable() && value.get(ERR).isstring()) {
        throw new LuaError(value);
      }
      return value;
    }
  }

  /** A table with one field. */
  private static final class Wrap extends OneArgFunction {
    private final LuaString field;

    Wrap(LuaString field) {
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
      byte[] wanted = bytes(arguments.arg1());
      if (Arrays.equals(wanted, WHOLE_NUMBER)) { // All that our scripts use.
        return LuaString.valueOf(
            Reply.bytes(Long.toString((long) Math.rint(arguments.arg(2).checkdouble()))));
      }
      String format = Reply.text(wanted);
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
