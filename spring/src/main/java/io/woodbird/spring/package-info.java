/** Guards for Spring Boot: declared in application.yml, in front of methods and caches. */
@NullMarked
package io.woodbird.spring;

import org.jspecify.annotations.NullMarked;
