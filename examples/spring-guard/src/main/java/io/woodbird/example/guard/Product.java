package io.woodbird.example.guard;

/** A row of the table. */
record Product(long id, String name, long cents) {}
