package io.woodbird.spring;

import io.woodbird.guard.Generation;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.guard.RebuildingFilterBuilder;
import io.woodbird.spring.WoodbirdProperties.GuardProperties;
import io.woodbird.spring.WoodbirdProperties.Rebuild;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.springframework.scheduling.support.CronExpression;

/** A filter that this process builds by itself. */
record RebuildingGuardFilter(RebuildingFilter<Object> filter) implements GuardFilter {
  private static final Duration NEVER = Duration.ofDays(36_500);
  private static final Duration USUAL_SETTLE = Duration.ofMinutes(10);

  static GuardFilter of(GuardPlan plan, Consumer<RebuildingFilterBuilder<Object>> store) {
    GuardProperties properties = plan.properties();
    RebuildingFilterBuilder<Object> builder =
        RebuildingFilter.of(plan.keys(), plan.source())
            .name(plan.guard())
            .onEvent(plan.events())
            .fpp(properties.fpp())
            .headroom(properties.headroom())
            .floor(properties.floor());
    store.accept(builder);
    Duration settle = properties.rebuild().settle();
    if (settle == null) {
      settle = plan.isLookedUp() ? Duration.ZERO : USUAL_SETTLE;
    }
    builder.settle(settle);
    schedule(plan.guard(), properties.rebuild(), builder);
    if (properties.expectedKeys() != null) {
      builder.expectedKeys(properties.expectedKeys());
    }
    if (properties.allowEmptySource()) {
      builder.allowEmpty();
    }
    return new RebuildingGuardFilter(builder.build());
  }

  private static void schedule(
      String name, Rebuild rebuild, RebuildingFilterBuilder<Object> builder) {
    builder.retryAfter(rebuild.retryAfter()).patience(rebuild.patience());
    if (rebuild.cron() == null) {
      builder.every(rebuild.every());
      return;
    }
    CronExpression cron;
    try {
      cron = CronExpression.parse(rebuild.cron());
    } catch (IllegalArgumentException e) {
      throw GuardsFactory.wrong(
          name,
          "rebuild.cron can't be read: " + e.getMessage() + ".",
          "Write six fields, such as \"0 30 3 * * *\" for half past three (UTC) each night.");
    }
    builder.every(() -> untilNext(cron, LocalDateTime.now(ZoneOffset.UTC)));
  }

  static Duration untilNext(CronExpression cron, LocalDateTime now) {
    LocalDateTime next = cron.next(now);
    return next == null ? NEVER : Duration.between(now, next);
  }

  @Override
  public CompletableFuture<Generation> rebuild(OptionalLong atLeastKeys) {
    return atLeastKeys.isPresent()
        ? filter.rebuildNow(atLeastKeys.getAsLong())
        : filter.rebuildNow();
  }

  @Override
  public Optional<Generation> rollBack() {
    return filter.rollBack();
  }

  @Override
  public Optional<Generation> generation() {
    return filter.generation();
  }

  @Override
  public List<String> doubts() {
    return filter.generation().isPresent() ? filter.doubts() : List.of();
  }

  @Override
  public void close() {
    filter.close();
  }
}
