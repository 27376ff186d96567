package io.woodbird.redis.sim;

import io.woodbird.redis.sim.Value.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The keys of one server, and what the command that runs now has changed. */
final class Keyspace {
  /** One value put, or removed where {@code slot} is null. */
  record Change(String key, @Nullable Slot slot) {}

  private final LongSupplier millis;
  private Map<String, Slot> map = new HashMap<>();
  private List<Change> changes = new ArrayList<>();

  Keyspace(LongSupplier millis) {
    this.millis = millis;
  }

  long now() {
    return millis.getAsLong();
  }

  /** Takes what was changed since the last call. */
  List<Change> takeChanges() {
    if (changes.isEmpty()) {
      return List.of();
    }
    List<Change> taken = changes;
    changes = new ArrayList<>();
    return taken;
  }

  void apply(List<Change> all) {
    for (Change change : all) {
      if (change.slot == null) {
        map.remove(change.key);
      } else {
        map.put(change.key, change.slot);
      }
    }
  }

  Map<String, Slot> copy() {
    return new HashMap<>(map);
  }

  void replace(Map<String, Slot> other) {
    map = new HashMap<>(other);
    changes.clear();
  }

  List<String> keys() {
    List<String> keys = new ArrayList<>(map.keySet());
    keys.removeIf(key -> slot(key) == null);
    return keys;
  }

  @Nullable Slot slot(String key) {
    Slot slot = map.get(key);
    if (slot != null && slot.expiresAt() >= 0 && slot.expiresAt() <= now()) {
      remove(key);
      return null;
    }
    return slot;
  }

  boolean remove(String key) {
    if (map.remove(key) == null) {
      return false;
    }
    changes.add(new Change(key, null));
    return true;
  }

  void clear() {
    for (String key : List.copyOf(map.keySet())) {
      remove(key);
    }
  }

  /** Puts a value that keeps its time to live, if it had one. */
  void put(String key, Value value) {
    Slot old = slot(key);
    put(key, new Slot(value, old == null ? -1 : old.expiresAt()));
  }

  void put(String key, Slot slot) {
    map.put(key, slot);
    changes.add(new Change(key, slot));
  }

  byte @Nullable [] text(String key) {
    Slot slot = slot(key);
    if (slot == null) {
      return null;
    }
    if (slot.value() instanceof Value.Text text) {
      return text.bytes();
    }
    throw Reply.wrongType();
  }

  @Nullable Map<String, byte[]> fields(String key) {
    Slot slot = slot(key);
    if (slot == null) {
      return null;
    }
    if (slot.value() instanceof Value.Fields fields) {
      return fields.map();
    }
    throw Reply.wrongType();
  }

  Value.@Nullable Log log(String key) {
    Slot slot = slot(key);
    if (slot == null) {
      return null;
    }
    if (slot.value() instanceof Value.Log log) {
      return log;
    }
    throw Reply.wrongType();
  }
}
