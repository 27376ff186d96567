package io.woodbird.spring;

import io.woodbird.console.ConsolePage;
import jakarta.servlet.Servlet;
import java.util.UUID;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;

/**
 * The console as a page of a servlet application, if {@code woodbird.console.enabled} says so and
 * {@code woodbird-console} is there. It shows the guards, and runs no demo.
 */
@AutoConfiguration(after = WoodbirdAutoConfiguration.class)
@ConditionalOnBooleanProperty("woodbird.console.enabled")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ConsolePage.class, Servlet.class, ServletRegistrationBean.class})
@EnableConfigurationProperties(WoodbirdConsoleProperties.class)
public class WoodbirdConsoleAutoConfiguration {
  private static final Log log = LogFactory.getLog(WoodbirdConsoleAutoConfiguration.class);
  static final String SECURITY = "org.springframework.security.web.SecurityFilterChain";

  @Bean(destroyMethod = "close")
  ConsolePage woodbirdConsolePage(WoodbirdConsoleProperties properties, Guards guards) {
    ConsolePage.Builder page =
        ConsolePage.builder(
                properties.allowRemote() ? host -> true : ConsoleServlet::namesThisMachine)
            .guards(new ConsoleGuards(guards));
    if (properties.folder() != null) {
      page.folder(properties.folder());
    }
    if (properties.allowRemote()) {
      if (!ClassUtils.isPresent(SECURITY, getClass().getClassLoader())) {
        throw new GuardConfigurationException(
            "woodbird.console.allow-remote is true, and nothing decides who may open the console",
            "Add Spring Security, or leave woodbird.console.allow-remote away: then only this"
                + " machine can open it.");
      }
    } else {
      String token = UUID.randomUUID().toString();
      page.token(token);
      log.info(
          "woodbird: the console is at "
              + properties.path()
              + "/#token="
              + token
              + ", on this"
              + " machine only");
    }
    return page.build();
  }

  @Bean
  ServletRegistrationBean<Servlet> woodbirdConsoleServlet(
      WoodbirdConsoleProperties properties, ConsolePage woodbirdConsolePage) {
    ServletRegistrationBean<Servlet> bean =
        new ServletRegistrationBean<>(
            new ConsoleServlet(woodbirdConsolePage, properties.allowRemote()),
            properties.path() + "/*");
    bean.setName("woodbirdConsole");
    return bean;
  }
}
