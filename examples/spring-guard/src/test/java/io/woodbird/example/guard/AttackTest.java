package io.woodbird.example.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.guard.GuardStats;
import io.woodbird.spring.Guards;
import io.woodbird.spring.NamedGuard;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The attack against a real PostgreSQL, which counts its own statements. */
final class AttackTest {
  private static final long PRODUCTS = 20_000;
  private static final int REQUESTS = 40_000;
  private static Database database;

  @BeforeAll
  static void startDatabase() throws Exception {
    database = Database.start(PRODUCTS);
  }

  @AfterAll
  static void stopDatabase() throws Exception {
    database.close();
  }

  @Test
  void guardOn_atMost18Of10000RequestsReachTheDatabaseAndNoRealIdIsStopped() throws Exception {
    try (ConfigurableApplicationContext context = Shop.start(database, true)) {
      Products products = context.getBean(Products.class);
      NamedGuard guard = context.getBean(Guards.class).get("products");
      Attack.Outcome outcome = Attack.against(products, database, REQUESTS, 3);
      // At fpp 0.1 % 40 are expected, and 72 are five standard deviations above.
      assertThat(outcome.queries()).isLessThanOrEqualTo(REQUESTS * 18 / 10_000);
      assertThat(outcome.found()).isZero();
      assertThat(outcome.proofs() / outcome.seconds()).as("proofs a second").isLessThan(60);
      GuardStats stats = guard.stats();
      assertThat(stats.stopped()).isEqualTo(REQUESTS - outcome.queries());
      assertThat(stats.falsePositives()).isEqualTo(outcome.queries());
      assertThat(Attack.stopped(products, PRODUCTS)).as("real ids stopped").isZero();
      assertThat(guard.stats().unknown()).isZero();

      Product fresh = products.create("a new one", 1999);
      assertThat(products.find(fresh.id())).contains(fresh);
      guard.rebuild().get(5, TimeUnit.MINUTES);
      assertThat(products.find(fresh.id())).contains(fresh);
      assertThat(Attack.stopped(products, PRODUCTS)).as("after a rebuild").isZero();
    }
  }

  @Test
  void rowsOfStrangers_areFoundInBothInstances_asSoonAsTheyAreCommitted() throws Exception {
    try (ConfigurableApplicationContext one = Shop.start(database, true);
        ConfigurableApplicationContext two = Shop.start(database, true)) {
      Strangers strangers =
          new Strangers(
              database, List.of(one.getBean(Products.class), two.getBean(Products.class)));
      strangers.write(1000, 5);
      assertThat(strangers.asked()).isGreaterThanOrEqualTo(2000);
      assertThat(strangers.denied()).isZero();
    }
  }

  /** Each caller holds a connection of the pool of 10 while it waits, and nobody waits in vain. */
  @Test
  void callersInTransactionsThatOnlyRead_areGuarded() throws Exception {
    try (ConfigurableApplicationContext context =
        Shop.start(database, true, "--woodbird.guards.products.longest-wait=1m")) {
      Products products = context.getBean(Products.class);
      NamedGuard guard = context.getBean(Guards.class).get("products");
      TransactionTemplate reading =
          new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
      reading.setReadOnly(true);
      List<CompletableFuture<Long>> callers = new ArrayList<>();
      ExecutorService threads = Executors.newFixedThreadPool(40);
      for (int i = 0; i < 40; i++) {
        long first = -1_000_000L * (i + 1);
        callers.add(
            CompletableFuture.supplyAsync(
                () ->
                    LongStream.range(first, first + 25)
                        .filter(id -> reading.execute(status -> products.find(id)).isPresent())
                        .count(),
                threads));
      }
      for (CompletableFuture<Long> caller : callers) {
        assertThat(caller.get()).isZero();
      }
      threads.shutdown();
      assertThat(guard.stats().unknown()).as("waited in vain").isZero();
    }
  }

  /** The control: a guard that believes its filter. */
  @Test
  void control_withoutProofsRowsOfStrangersAreDenied() throws Exception {
    String setting = "--woodbird.guards.products.follow=none";
    try (ConfigurableApplicationContext one = Shop.start(database, true, setting)) {
      Strangers strangers = new Strangers(database, List.of(one.getBean(Products.class)));
      strangers.write(100, 6);
      assertThat(strangers.denied()).isPositive();
    }
  }

  @Test
  void control_guardOffEveryRequestReachesTheDatabase() throws Exception {
    try (ConfigurableApplicationContext context = Shop.start(database, false)) {
      Products products = context.getBean(Products.class);
      Attack.Outcome outcome = Attack.against(products, database, REQUESTS / 10, 4);
      assertThat(outcome.queries()).isEqualTo(REQUESTS / 10);
      assertThat(outcome.found()).isZero();
    }
  }
}
