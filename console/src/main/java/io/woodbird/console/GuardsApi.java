package io.woodbird.console;

import io.woodbird.console.GuardSnapshot.Generation;
import io.woodbird.console.shared.Amounts;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The counts of all guards over the last 15 minutes, and the demo attack. */
final class GuardsApi implements AutoCloseable {
  private static final long STEP_MILLIS = 500;
  private static final int MAX_SAMPLES = 1800;

  private final GuardSource source;
  private final @Nullable ShopDemo demo;
  private final Instances instances;
  private final Deque<Sample> samples = new ArrayDeque<>();
  private long taken;
  private String problem = "";
  private @Nullable ScheduledExecutorService sampler;

  /** The counts of all guards at one moment. */
  private record Sample(
      long number, long millis, List<GuardSnapshot> guards, ShopDemo.@Nullable Load load) {}

  GuardsApi(GuardSource source, boolean demo, Instances instances) {
    this(source, demo ? new ShopDemo() : null, instances);
  }

  GuardsApi(GuardSource source, @Nullable ShopDemo demo, Instances instances) {
    this.source = source;
    this.demo = demo;
    this.instances = instances;
  }

  /** Returns the samples since the last one that the page has. */
  synchronized Map<String, Object> look(Map<String, String> parameters) throws BadRequestException {
    watch();
    if (demo != null) {
      demo.watch();
    }
    String from = parameters.getOrDefault("since", "0");
    long since = Amounts.count(from).orElseThrow(() -> BadRequestException.number("since", from));
    Sample last = take();
    List<Object> series = new ArrayList<>();
    for (Sample sample : samples) {
      if (sample.number > since) {
        series.add(describe(sample));
      }
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("guards", last.guards.stream().map(GuardsApi::describe).toList());
    answer.put("samples", series);
    answer.put("instances", instances.look());
    answer.put("demo", demo == null ? null : demo.describe());
    answer.put("problem", problem);
    answer.put("now", last.millis);
    return answer;
  }

  /** Starts or stops the attack, or switches the guard on or off. */
  Map<String, Object> attack(Map<String, String> form) throws BadRequestException {
    if (demo == null) {
      throw new BadRequestException("noDemo", "the demo is not part of this console");
    }
    demo.command(form.getOrDefault("action", ""));
    return look(Map.of("since", form.getOrDefault("since", "0")));
  }

  /** Starts to take samples at the first request for them. */
  private void watch() {
    if (sampler == null) {
      sampler =
          Executors.newSingleThreadScheduledExecutor(
              task -> {
                Thread thread = new Thread(task, "woodbird-console-sampler");
                thread.setDaemon(true);
                return thread;
              });
      var unused =
          sampler.scheduleAtFixedRate(this::take, STEP_MILLIS, STEP_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Takes a sample, unless the last one is fresh. */
  private synchronized Sample take() {
    long now = System.currentTimeMillis();
    Sample last = samples.peekLast();
    if (last != null && now - last.millis < STEP_MILLIS / 2) {
      return last;
    }
    List<GuardSnapshot> guards = new ArrayList<>(snapshots());
    if (demo != null && demo.ready()) {
      guards.add(demo.snapshot());
    }
    ShopDemo.Load load = demo == null ? null : demo.load();
    // The time after the counts: the first one takes long, and the attack waits for it.
    Sample sample = new Sample(++taken, System.currentTimeMillis(), guards, load);
    samples.addLast(sample);
    if (samples.size() > MAX_SAMPLES) {
      samples.removeFirst();
    }
    return sample;
  }

  /** The source is code of the application: if it throws, the page shows that and goes on. */
  private List<GuardSnapshot> snapshots() {
    try {
      List<GuardSnapshot> snapshots = source.snapshots();
      problem = "";
      return snapshots;
    } catch (RuntimeException e) {
      problem = e.toString();
      return List.of();
    }
  }

  private static Map<String, Object> describe(Sample sample) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("number", sample.number);
    facts.put("millis", sample.millis);
    Map<String, Object> counts = new LinkedHashMap<>();
    for (GuardSnapshot guard : sample.guards) {
      counts.put(guard.name(), counts(guard));
    }
    facts.put("counts", counts);
    ShopDemo.Load load = sample.load;
    if (load != null) {
      facts.put("requests", load.requests());
      facts.put("queries", load.queries());
    }
    return facts;
  }

  private static List<Long> counts(GuardSnapshot guard) {
    return List.of(
        guard.asked(),
        guard.stopped(),
        guard.loaded(),
        guard.found(),
        guard.falsePositives(),
        guard.unknown(),
        guard.proofs() == null ? 0 : guard.proofs().given());
  }

  private static Map<String, Object> describe(GuardSnapshot guard) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("name", guard.name());
    facts.put("counts", counts(guard));
    facts.put("doubts", guard.doubts());
    GuardSnapshot.Proofs proofs = guard.proofs();
    facts.put("follows", proofs != null);
    facts.put("waiting", proofs == null ? 0 : proofs.waiting());
    facts.put("misses", proofs == null ? 0 : proofs.misses());
    List<Object> generations = new ArrayList<>();
    for (Generation generation : guard.generations()) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("number", generation.number());
      line.put("state", generation.state().name());
      line.put("started", generation.started().toEpochMilli());
      line.put("served", millis(generation.served()));
      line.put("ended", millis(generation.ended()));
      line.put("keys", generation.keys());
      generations.add(line);
    }
    facts.put("generations", generations);
    return facts;
  }

  private static @Nullable Long millis(@Nullable Instant time) {
    return time == null ? null : time.toEpochMilli();
  }

  @Override
  public synchronized void close() {
    if (sampler != null) {
      sampler.shutdownNow();
    }
    instances.close();
    if (demo != null) {
      demo.close();
    }
  }
}
