package io.woodbird.redis.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * All that decides a history.
 *
 * @param seed of everything that is not said here: who goes on, random numbers of clients
 * @param shape of the servers
 * @param kind of the filter
 * @param level how durable an acknowledged put is
 * @param clients what each process does, in order
 * @param faults what goes wrong, in order
 * @param switching how probable it is that another task goes on, at each command
 */
record Plan(
    long seed,
    World.Shape shape,
    Kind kind,
    Level level,
    List<List<Step>> clients,
    List<Fault> faults,
    double switching) {
  /** About so many commands after its start the first process has made the filter. */
  private static final int OPENED = 12;

  /** The filters that there are. */
  enum Kind {
    BLOOM,
    /** Two blocks for each key. */
    PAIR,
    /** With a copy that confirms what it denies. */
    NEAR,
    /** With a copy that denies by itself. */
    NEAR_LAG,
    DELETABLE,
    /** Built from a source. */
    SOURCED,
    /** Its keys expire. */
    WINDOW,
    /** It begins with room for a few keys. */
    GROWING
  }

  /** When a put counts as done. */
  enum Level {
    MASTER,
    REPLICA,
    DISK
  }

  /** What a process can do. */
  enum Action {
    PUT,
    PUT_MANY,
    ASK,
    ASK_MANY,
    LOAD,
    REBUILD,
    ROLL_BACK,
    REMOVE,
    TRUST,
    PAUSE,
    REOPEN
  }

  /** One thing that a process does. */
  record Step(Action action, int value) {
    @Override
    public String toString() {
      return action + " " + value;
    }
  }

  /** What histories are made of. */
  record Menu(List<Kind> kinds, List<Fault.Kind> faults, boolean trusts) {
    /** All but those that came later: a seed must stay the history that it was. */
    static final Menu ALL =
        new Menu(
            List.of(Kind.values()).subList(0, Kind.WINDOW.ordinal()),
            List.of(Fault.Kind.values()),
            true);

    Menu only(Kind... wanted) {
      return new Menu(List.of(wanted), faults, trusts);
    }

    Menu with(Fault.Kind... wanted) {
      return new Menu(kinds, List.of(wanted), trusts);
    }

    Menu without(Fault.Kind... unwanted) {
      List<Fault.Kind> left = new ArrayList<>(faults);
      left.removeAll(List.of(unwanted));
      return new Menu(kinds, left, trusts);
    }
  }

  /** Draws a history. */
  static Plan draw(long seed, Menu menu) {
    SplittableRandom random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L + 1);
    Kind kind = menu.kinds.get(random.nextInt(menu.kinds.size()));
    int topology = random.nextInt(4);
    World.Shape shape =
        switch (topology) {
          case 0 -> new World.Shape(1, 0, random.nextBoolean());
          case 1 -> new World.Shape(1, 1, random.nextBoolean());
          case 2 -> new World.Shape(1, 2, random.nextBoolean());
          default -> new World.Shape(2, random.nextInt(2), random.nextBoolean());
        };
    Level level = Level.MASTER;
    if (kind != Kind.SOURCED && kind != Kind.DELETABLE && random.nextInt(3) == 0) {
      level = shape.replicas() > 0 ? Level.REPLICA : shape.saves() ? Level.DISK : Level.MASTER;
    }
    List<List<Step>> clients = new ArrayList<>();
    int steps = 0;
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      List<Step> script = new ArrayList<>();
      for (int i = 1 + random.nextInt(7); i > 0; i--) {
        script.add(new Step(action(random, kind, menu), random.nextInt(1 << 16)));
        steps++;
      }
      clients.add(script);
    }
    int span = 15 + 14 * steps + 12 * clients.size();
    List<Fault> faults = new ArrayList<>();
    if (!menu.faults.isEmpty()) {
      for (int left = random.nextInt(7); left > 0; left--) {
        Fault.Kind what = menu.faults.get(random.nextInt(menu.faults.size()));
        int at = (random.nextInt(12) == 0 ? 1 : OPENED) + random.nextInt(span);
        faults.add(new Fault(at, what, random.nextInt(1 << 10), random.nextInt(1 << 16)));
        if (what == Fault.Kind.KILL || what == Fault.Kind.FREEZE) {
          faults.add(after(random, at, what));
        }
      }
      faults.sort(Comparator.comparingInt(Fault::at));
    }
    return new Plan(seed, shape, kind, level, clients, faults, random.nextInt(4) * 0.1);
  }

  /** What comes after a server has ended or stands still. */
  private static Fault after(SplittableRandom random, int at, Fault.Kind what) {
    List<Fault.Kind> next =
        what == Fault.Kind.FREEZE
            ? List.of(Fault.Kind.THAW, Fault.Kind.SWITCH)
            : List.of(
                Fault.Kind.START,
                Fault.Kind.START_OLD,
                Fault.Kind.START_EMPTY,
                Fault.Kind.SWITCH,
                Fault.Kind.SWITCH);
    return new Fault(
        at + 1 + random.nextInt(20),
        next.get(random.nextInt(next.size())),
        random.nextInt(1 << 10),
        random.nextInt(1 << 16));
  }

  private static Action action(SplittableRandom random, Kind kind, Menu menu) {
    int draw = random.nextInt(20);
    boolean onlyPuts = kind == Kind.WINDOW || kind == Kind.GROWING;
    if (onlyPuts && draw >= 11 && draw < 16) {
      return draw < 14 ? Action.PUT_MANY : Action.PAUSE;
    }
    if (draw < 7) {
      return draw < 5 ? Action.PUT : Action.PUT_MANY;
    } else if (draw < 11) {
      return draw < 10 ? Action.ASK : Action.ASK_MANY;
    } else if (draw < 13) {
      return kind == Kind.DELETABLE ? Action.REMOVE : Action.REBUILD;
    } else if (draw < 15) {
      return switch (kind) {
        case DELETABLE -> Action.REMOVE;
        case SOURCED -> Action.REBUILD;
        default -> Action.LOAD;
      };
    } else if (draw < 16) {
      return kind == Kind.DELETABLE ? Action.PUT : Action.ROLL_BACK;
    } else if (draw < 17) {
      return Action.REOPEN;
    } else if (draw < 18 && menu.trusts && kind != Kind.SOURCED) {
      return Action.TRUST;
    }
    return Action.PAUSE;
  }

  Plan withFaults(List<Fault> other) {
    return new Plan(seed, shape, kind, level, clients, other, switching);
  }

  Plan withClients(List<List<Step>> other) {
    return new Plan(seed, shape, kind, level, other, faults, switching);
  }

  Plan withSwitching(double other) {
    return new Plan(seed, shape, kind, level, clients, faults, other);
  }

  /** How much there is in it. */
  int size() {
    return faults.size() + clients.stream().mapToInt(script -> script.size() + 1).sum();
  }

  /** All of it in one line. */
  String line() {
    return toString().replaceAll("\\s+", " ");
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            "seed %d, %s, level %s, %s, switching %s%n", seed, kind, level, shape, switching));
    for (int i = 0; i < clients.size(); i++) {
      out.append("  p").append(i).append(": ").append(clients.get(i)).append('\n');
    }
    return out.append("  faults: ").append(faults).toString();
  }
}
