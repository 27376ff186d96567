package io.woodbird.redis.sim;

import io.woodbird.redis.sim.Keyspace.Change;
import io.woodbird.redis.sim.Value.Slot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One server of the model: its keys, its role, and what it sends to replicas and to its file. */
final class Node {
  private static final String READ_ONLY = "READONLY You can't write against a read only replica.";

  final int number;
  final Keyspace keys;
  boolean alive = true;
  boolean frozen;

  /** How often a process was started; a connection ends with its process. */
  int starts;

  boolean master = true;

  /** The replication id; a new one for each process and for each time that it becomes master. */
  String replid;

  /** What was written, in order, since it has this replication id. A file may hold it too. */
  List<List<Change>> log = new ArrayList<>();

  /** The log that this replica follows; null if it must copy all first. */
  @Nullable List<List<Change>> following;

  int applied;

  /** Which confirmation of its group this server knows to hold, and where in its log that was. */
  int confirmed;

  int confirmedAt;

  @Nullable Node upstream;
  final List<Node> replicas = new ArrayList<>();

  /** What a restart may come back with, oldest first. */
  final List<Saved> snapshots = new ArrayList<>();

  /**
   * A file.
   *
   * @param confirmed the last confirmation of its group that it holds
   */
  record Saved(Map<String, Slot> keys, int confirmed) {
    static final Saved NOTHING = new Saved(Map.of(), 0);
  }

  /** What INFO shows beside the replication id: see {@link #state}. */
  private long[] shown = {};

  private String shownId = "";
  private byte[] shownInfo = {};

  private Saved synced = Saved.NOTHING;
  private int syncedAt;

  private final Lua lua;
  private final Set<String> scripts = new HashSet<>();
  private final Texts texts;
  private final Hashes hashes;
  private final Logs logs;
  private final General general;
  private final LongSupplier random;
  private final Lua.Calls calls = words -> call(words, false);
  private final Lua.Calls readingCalls = words -> call(words, true);

  Node(int number, Lua lua, LongSupplier millis, LongSupplier random) {
    this.number = number;
    this.lua = lua;
    this.random = random;
    keys = new Keyspace(millis);
    texts = new Texts(keys);
    hashes = new Hashes(keys);
    logs = new Logs(keys);
    general = new General(keys);
    replid = newId();
  }

  private String newId() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(random.getAsLong())
        + hex.toHexDigits(random.getAsLong())
        + hex.toHexDigits(random.getAsLong() >>> 32, 8);
  }

  /** Runs a command from a client. */
  @Nullable Object run(byte[][] words) {
    Object reply;
    try {
      reply = run(words, false);
    } catch (Reply.Refusal e) {
      reply = new Reply.Failure(e.getMessage());
    } catch (ArrayIndexOutOfBoundsException e) {
      reply = new Reply.Failure("ERR wrong number of arguments");
    }
    List<Change> changes = keys.takeChanges();
    if (!changes.isEmpty() && master) {
      log.add(changes);
    }
    return reply;
  }

  private @Nullable Object run(byte[][] words, boolean readOnlyScript) {
    Commands.Entry command = Commands.of(words[0]);
    String name = command.name();
    if (command.writes()) {
      if (readOnlyScript) {
        throw new Reply.Refusal("ERR Write commands are not allowed from read-only scripts.");
      }
      if (!master) {
        throw new Reply.Refusal(READ_ONLY);
      }
    }
    return switch (command.family()) {
      case TEXTS -> texts.run(name, words);
      case HASHES -> hashes.run(name, words);
      case LOGS -> logs.run(name, words);
      case GENERAL -> general.run(name, words);
      case SERVER -> ofServer(name, words);
    };
  }

  private @Nullable Object ofServer(String name, byte[][] words) {
    return switch (name) {
      case "EVAL" -> eval(load(words[1]), words, false);
      case "EVAL_RO" -> eval(load(words[1]), words, true);
      case "EVALSHA" -> eval(known(words[1]), words, false);
      case "EVALSHA_RO" -> eval(known(words[1]), words, true);
      case "SCRIPT" -> script(words);
      case "INFO" -> info();
      case "ROLE" -> role();
      case "CONFIG" -> List.of();
      case "PING" -> Reply.bytes("PONG");
      default -> throw new Reply.Refusal("ERR unknown command '" + name + "'");
    };
  }

  private Lua.Script load(byte[] text) {
    Lua.Script script = lua.compile(text);
    scripts.add(script.sha());
    return script;
  }

  private Lua.Script known(byte[] sha) {
    String name = Reply.text(sha).toLowerCase(Locale.ROOT);
    Lua.Script script = scripts.contains(name) ? lua.bySha(name) : null;
    if (script == null) {
      throw new Reply.Refusal("NOSCRIPT No matching script. Please use EVAL.");
    }
    return script;
  }

  private @Nullable Object eval(Lua.Script script, byte[][] words, boolean readOnly) {
    String flags = script.flags();
    boolean noWrites = flags != null && flags.contains("no-writes");
    if (flags != null && !noWrites) {
      if (readOnly) {
        throw new Reply.Refusal("ERR Can not execute a script with write flag using *_ro command.");
      }
      if (!master) {
        throw new Reply.Refusal(READ_ONLY);
      }
    }
    int keyCount = (int) Reply.number(words[2]);
    if (keyCount < 0 || keyCount > words.length - 3) {
      throw new Reply.Refusal("ERR Number of keys can't be greater than number of args");
    }
    return lua.run(script, words, 3, keyCount, readOnly || noWrites ? readingCalls : calls);
  }

  /** Runs a command of a script. */
  private @Nullable Object call(byte[][] words, boolean readOnlyScript) {
    try {
      return run(words, readOnlyScript);
    } catch (Reply.Refusal e) {
      return new Reply.Failure(e.getMessage());
    }
  }

  private Object script(byte[][] words) {
    return switch (Reply.text(words[1]).toUpperCase(Locale.ROOT)) {
      case "LOAD" -> Reply.bytes(load(words[2]).sha());
      case "FLUSH" -> {
        scripts.clear();
        yield Reply.OK;
      }
      case "EXISTS" -> {
        List<Object> found = new ArrayList<>();
        for (int i = 2; i < words.length; i++) {
          found.add(scripts.contains(Reply.text(words[i])) ? 1L : 0L);
        }
        yield found;
      }
      default -> throw Reply.syntax();
    };
  }

  private Object role() {
    if (!master) {
      Node above = upstream;
      return List.<Object>of(
          Reply.bytes("slave"),
          Reply.bytes("node"),
          above == null ? 0L : (long) above.number,
          Reply.bytes(following == null ? "connect" : "connected"),
          (long) applied);
    }
    return List.<Object>of(Reply.bytes("master"), (long) log.size(), List.of());
  }

  /** The reply to INFO: made again if something has changed. */
  private byte[] info() {
    long[] now = state();
    if (!replid.equals(shownId) || !Arrays.equals(now, shown)) {
      shownInfo = Reply.bytes(newInfo());
      shownId = replid;
      shown = now;
    }
    return shownInfo;
  }

  private long[] state() {
    long[] state = new long[2 + replicas.size()];
    state[0] = log.size();
    state[1] = master ? 0 : following == null ? 1 : 2;
    for (int i = 0; i < replicas.size(); i++) {
      Node replica = replicas.get(i);
      state[2 + i] = replica.follows() ? (long) replica.number << 32 | replica.applied : -1;
    }
    return state;
  }

  private String newInfo() {
    StringBuilder out = new StringBuilder(256).append("# Replication\r\n");
    out.append("role:").append(master ? "master" : "slave").append("\r\n");
    if (!master) {
      out.append("master_link_status:").append(following == null ? "down" : "up").append("\r\n");
    }
    StringBuilder lines = new StringBuilder();
    int online = 0;
    for (Node replica : replicas) {
      if (replica.follows()) {
        lines.append("slave").append(online++).append(":ip=127.0.0.1,port=");
        lines.append(7000 + replica.number).append(",state=online,offset=").append(replica.applied);
        lines.append(",lag=0\r\n");
      }
    }
    out.append("connected_slaves:").append(online).append("\r\n").append(lines);
    out.append("master_replid:").append(replid).append("\r\n");
    out.append("master_repl_offset:").append(log.size()).append("\r\n");
    return out.toString();
  }

  /** Whether this replica gets what its master writes. */
  boolean follows() {
    return alive && !master && upstream != null && upstream.alive && following == upstream.log;
  }

  /** Applies so many more entries of the master's log. */
  void catchUp(int most) {
    if (!follows() || frozen || following == null) {
      return;
    }
    int to = (int) Math.min(following.size(), (long) applied + most);
    for (; applied < to; applied++) {
      keys.apply(following.get(applied));
    }
    Node above = upstream;
    if (above != null && applied >= above.confirmedAt) {
      confirmed = above.confirmed;
    }
  }

  /** Becomes a replica; keeps its old keys until it has copied those of the master. */
  void follow(Node other) {
    if (upstream != null) {
      upstream.replicas.remove(this);
    }
    master = false;
    upstream = other;
    following = null;
    other.replicas.add(this);
  }

  /** Copies all from the master. */
  void copyAll() {
    Node above = upstream;
    if (master || above == null || !above.alive || !alive || !above.master) {
      return;
    }
    if (above.replicas.stream().noneMatch(Node::follows) && !above.hadReplica) {
      above.replid = above.newId(); // The first replica: there was no backlog before.
      above.hadReplica = true;
    }
    keys.replace(above.keys.copy());
    following = above.log;
    applied = above.log.size();
    confirmed = above.confirmed;
    replid = above.replid;
  }

  private boolean hadReplica;

  /** Becomes a master with what it has. */
  void promote() {
    if (upstream != null) {
      upstream.replicas.remove(this);
    }
    upstream = null;
    following = null;
    master = true;
    replid = newId();
    log = new ArrayList<>();
    confirmedAt = 0;
    hadReplica = true;
    sync();
  }

  /** Brings all that was written to the disk. */
  void sync() {
    synced = saved();
    syncedAt = log.size();
  }

  Saved saved() {
    return new Saved(keys.copy(), confirmed);
  }

  /** What a power cut leaves: all up to the last {@link #sync}, and some of what came after. */
  Saved afterPowerCut(int choice) {
    Keyspace left = new Keyspace(keys::now);
    left.replace(synced.keys);
    int to = syncedAt + Math.floorMod(choice, log.size() - syncedAt + 1);
    log.subList(syncedAt, to).forEach(left::apply);
    return new Saved(left.copy(), synced.confirmed);
  }

  /** Takes a new replication id, as a server without replicas does after an hour. */
  void renewId() {
    replid = newId();
    hadReplica = false;
  }

  /** Ends the process. */
  void kill() {
    alive = false;
    frozen = false;
    following = null;
    scripts.clear();
  }

  /** Starts a new process with given keys; a replica stays one. */
  void start(Saved from) {
    alive = true;
    confirmed = from.confirmed;
    confirmedAt = 0;
    starts++;
    scripts.clear();
    keys.replace(from.keys);
    log = new ArrayList<>();
    hadReplica = false;
    replid = newId();
    following = null;
    sync();
  }
}
