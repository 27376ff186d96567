package io.woodbird.spring;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** {@link GuardHealth} for Spring Boot 4. */
final class GuardHealthIndicator extends AbstractHealthIndicator {
  private final Guards guards;

  GuardHealthIndicator(Guards guards) {
    this.guards = guards;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    GuardHealth health = GuardHealth.of(guards);
    builder.withDetails(health.details());
    if (health.well()) {
      builder.up();
    } else {
      builder.unknown();
    }
  }
}
