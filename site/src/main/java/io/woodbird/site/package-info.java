/** Makes the web site from the files of the project. */
@NullMarked
package io.woodbird.site;

import org.jspecify.annotations.NullMarked;
