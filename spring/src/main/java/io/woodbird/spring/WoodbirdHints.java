package io.woodbird.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must keep for the starter, because it is found by name. */
final class WoodbirdHints implements RuntimeHintsRegistrar {
  /*
   * A class that is looked for by name is not found in a native image unless it is named here. The
   * starter would then believe that the application has no transactions, and deny rows that a
   * transaction has just written.
   */
  private static final List<String> LOOKED_FOR =
      List.of(
          GuardsFactory.ROUTING_NAME,
          PoolSize.PROVIDER,
          RedisClients.FACTORY,
          RedisClients.JEDIS,
          RedisClients.LETTUCE,
          Results.FLUX,
          Transactions.MANAGER,
          WoodbirdConsoleAutoConfiguration.SECURITY);

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    for (String type : LOOKED_FOR) {
      hints.reflection().registerTypeIfPresent(loader, type, hint -> {});
    }
    // Key expressions read its properties, as in "#root.args[0]".
    hints.reflection().registerType(KeyExpression.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    OlderHealthIndicator.registerHints(hints, loader);
  }
}
