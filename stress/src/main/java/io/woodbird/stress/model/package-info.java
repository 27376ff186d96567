/** Small scenarios of which Lincheck tries the interleavings one by one. */
package io.woodbird.stress.model;
