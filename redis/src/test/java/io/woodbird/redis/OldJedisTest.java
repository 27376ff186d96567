package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Jedis before 8 lacks classes and methods that are used: that is said in so many words. */
class OldJedisTest {
  /** Loads everything anew, but one class is not there. */
  private static final class Without extends URLClassLoader {
    private final String missing;

    Without(String missing) {
      super(urls(), ClassLoader.getPlatformClassLoader());
      this.missing = missing;
    }

    private static URL[] urls() {
      return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
          .map(
              path -> {
                try {
                  return new File(path).toURI().toURL();
                } catch (MalformedURLException e) {
                  throw new IllegalStateException(e);
                }
              })
          .toArray(URL[]::new);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.equals(missing)) {
        throw new ClassNotFoundException(name);
      }
      return super.findClass(name);
    }
  }

  @Test
  void aClientOfAnOlderJedis_isRefused() throws Exception {
    try (Without loader = new Without("redis.clients.jedis.RedisClusterClient");
        AutoCloseable client =
            (AutoCloseable)
                loader
                    .loadClass("redis.clients.jedis.RedisClient")
                    .getMethod("create", String.class, int.class)
                    .invoke(null, "127.0.0.1", 1)) {
      Class<?> woodbird = loader.loadClass("io.woodbird.redis.WoodbirdRedis");
      Throwable refused =
          catchThrowable(
              () -> woodbird.getMethod("using", AutoCloseable.class).invoke(null, client));
      assertThat(refused)
          .cause()
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Jedis 8 or newer")
          .hasMessageContaining("RedisClient");
    }
  }
}
