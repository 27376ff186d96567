package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.annotation.Cacheable;

/** What is configured and guards nothing is said when the application starts. */
@ExtendWith(OutputCaptureExtension.class)
final class SetupReportTest {
  static class Products {
    @Guarded("products")
    public String find(long id) {
      return id > 0 ? "product " + id : null;
    }

    @Cacheable("shelf")
    public String shelf(long id) {
      return find(id);
    }
  }

  @Test
  void aGuardWithoutAMethod_isNamed(CapturedOutput output) {
    TestApp.guarded()
        .withPropertyValues("woodbird.guards.products.caches=shelf")
        .run(
            context ->
                assertThat(output)
                    .contains("guard 'products' guards no method")
                    .contains("@Cacheable of [shelf]"));
  }

  @Test
  void aCacheThatNobodyUses_isNamed(CapturedOutput output) {
    TestApp.guarded(Products.class)
        .withPropertyValues("woodbird.guards.products.caches=shelf,drawer")
        .run(
            context ->
                assertThat(output)
                    .contains("names the cache 'drawer', which no guarded")
                    .doesNotContain("'shelf'")
                    .doesNotContain("guards no method"));
  }

  @Test
  void aSettingThatDoesNotExist_isNamed(CapturedOutput output) {
    TestApp.guarded(Products.class)
        .withPropertyValues(
            "woodbird.guards.products.fp=0.1",
            "woodbird.gaurds.products.fpp=0.1",
            "woodbird.console.enabled=false")
        .run(
            context ->
                assertThat(output)
                    .contains("there is no setting 'woodbird.guards.products.fp'")
                    .contains("there is no setting 'woodbird.gaurds.products.fpp'")
                    .doesNotContain("woodbird.console"));
  }

  @Test
  void nothingIsSaid_whereNothingIsWrong(CapturedOutput output) {
    TestApp.guarded(Products.class).run(context -> assertThat(output).doesNotContain("WARN"));
  }

  @Test
  void disabled_theBeansAreThereAndEverythingPasses(CapturedOutput output) {
    TestApp.guarded(Products.class)
        .withPropertyValues("woodbird.enabled=false")
        .run(
            context -> {
              NamedGuard guard = context.getBean(Guards.class).get("products");
              guard.put(5L);
              assertThat(guard.mightContain(-1L)).isTrue();
              assertThat(context.getBean(Products.class).find(7)).isEqualTo("product 7");
              assertThat(guard.stats().asked()).isZero();
              assertThat(guard.generation()).isEmpty();
              assertThat(output).contains("guards are disabled");
              HealthIndicator health =
                  context.getBean("woodbirdHealthIndicator", HealthIndicator.class);
              assertThat(health.health().getStatus()).isEqualTo(Status.UP);
              assertThat(health.health().getDetails().toString()).contains("state=disabled");
            });
  }
}
