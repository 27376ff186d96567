package io.woodbird.example.spam;

import java.time.Instant;

/** A mail, as far as a filter looks at it. */
record Mail(Instant received, String sender, String text) {}
