/** Two threads at one filter, millions of times: what may come out, and what may not. */
package io.woodbird.stress;
