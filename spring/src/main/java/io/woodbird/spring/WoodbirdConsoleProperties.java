package io.woodbird.spring;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What is written under {@code woodbird.console}.
 *
 * @param enabled Whether the application serves the console.
 * @param path Where, below the application's own path.
 * @param allowRemote Whether other machines may open it. Spring Security must be there to decide.
 * @param folder Whose filter files it shows. None if not set.
 */
@ConfigurationProperties("woodbird.console")
public record WoodbirdConsoleProperties(
    @DefaultValue("false") boolean enabled,
    @DefaultValue("/woodbird") String path,
    @DefaultValue("false") boolean allowRemote,
    @Nullable Path folder) {}
