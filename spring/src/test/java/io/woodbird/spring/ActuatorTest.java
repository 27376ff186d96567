package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What operators see. */
final class ActuatorTest {
  static class Products {
    @Guarded("products")
    public String find(long id) {
      return id >= 1 && id <= TestApp.ROWS ? "product " + id : null;
    }
  }

  private static ApplicationContextRunner app() {
    return TestApp.guarded(Products.class)
        .withPropertyValues("management.endpoints.web.exposure.include=woodbird");
  }

  @Test
  void health_isUnknownUntilBuiltAndAgainWhenABuildFails() {
    app()
        .run(
            context -> {
              HealthIndicator indicator =
                  context.getBean("woodbirdHealthIndicator", HealthIndicator.class);
              NamedGuard guard = TestApp.built(context);
              Health health = indicator.health();
              assertThat(health.getStatus()).isEqualTo(Status.UP);
              assertThat(health.getDetails().get("products").toString())
                  .contains("state=built")
                  .contains("keys=1000");
              TestApp.execute(context.getBean(DataSource.class), "delete from product");
              assertThat(guard.rebuild().handle((built, failure) -> failure).join()).isNotNull();
              assertThat(indicator.health().getStatus()).isEqualTo(Status.UNKNOWN);
              assertThat(indicator.health().getDetails().toString()).contains("gave no key");
            });
    app()
        .withPropertyValues("management.health.woodbird.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("woodbirdHealthIndicator"));
  }

  @Test
  void endpoint_showsGuardsAsksRebuildsAndRollsBack() {
    app()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              context.getBean(Products.class).find(1);
              context.getBean(Products.class).find(-1);
              WoodbirdEndpoint endpoint = context.getBean(WoodbirdEndpoint.class);
              assertThat(endpoint.guards().get("products").counts().stopped()).isEqualTo(1);
              WoodbirdEndpoint.Details details = endpoint.guard("products");
              assertThat(details.summary().generation().keys()).isEqualTo(1000);
              assertThat(details.filter().estimatedKeys()).isBetween(900L, 1100L);
              assertThat(endpoint.guard("nothing")).isNull();
              assertThat(endpoint.check("products", "1")).containsEntry("answer", "MAYBE_HERE");
              assertThat(endpoint.check("products", "-1")).containsEntry("answer", "NOT_HERE");
              assertThat(endpoint.check("nothing", "1")).isNull();
              long before = guard.generation().orElseThrow().number();
              assertThat(endpoint.act("products", "rebuild", null).getBody().get("done"))
                  .contains("asked for");
              TestApp.rebuild(guard);
              assertThat(guard.generation().orElseThrow().number()).isGreaterThan(before);
              assertThat(endpoint.act("products", "rollback", null).getBody().get("done"))
                  .contains("generation");
              assertThatThrownBy(() -> endpoint.act("products", "dance", null))
                  .hasMessageContaining("not dance");
              assertThatThrownBy(() -> endpoint.check("products", "crow"))
                  .hasMessageContaining("crow");
              assertThat(endpoint.act("nothing", "rebuild", null).getStatus()).isEqualTo(404);
            });
    TestApp.guarded()
        .withPropertyValues("management.endpoints.access.default=NONE")
        .run(context -> assertThat(context).doesNotHaveBean(WoodbirdEndpoint.class));
  }

  @Test
  void meters_areCountersOfWhatHappened() {
    app()
        .run(
            context -> {
              MeterRegistry registry = new SimpleMeterRegistry();
              context.getBean("woodbirdMeters", MeterBinder.class).bindTo(registry);
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              products.find(1);
              products.find(2);
              products.find(-1);
              guard.put(-2L);
              products.find(-2);
              assertThat(count(registry, "woodbird.guard.requests", "verdict", "not_here"))
                  .isEqualTo(1);
              assertThat(count(registry, "woodbird.guard.requests", "verdict", "maybe"))
                  .isEqualTo(3);
              assertThat(count(registry, "woodbird.guard.loader", "result", "found")).isEqualTo(2);
              assertThat(count(registry, "woodbird.guard.loader", "result", "false_positive"))
                  .isEqualTo(1);
              assertThat(count(registry, "woodbird.rebuild.events", "event", "built"))
                  .isGreaterThanOrEqualTo(1);
              assertThat(registry.get("woodbird.guard.wrong").functionCounter().count()).isZero();
              assertThat(registry.get("woodbird.filter.keys").gauge().value()).isEqualTo(1000);
              assertThat(registry.get("woodbird.filter.age").timeGauge().value()).isNotNegative();
            });
  }

  private static double count(MeterRegistry registry, String name, String tag, String value) {
    return registry.get(name).tag("guard", "products").tag(tag, value).functionCounter().count();
  }
}
