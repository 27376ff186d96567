package io.woodbird.spring;

import io.woodbird.guard.GuardOverloadedException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Answers 503 with Retry-After while a guard can't tell and its bulkhead is full. */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class GuardOverloadAdvice {
  private static final String SECONDS = "1";

  @ExceptionHandler(GuardOverloadedException.class)
  ResponseEntity<ProblemDetail> overloaded(GuardOverloadedException overload) {
    return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
        .header(HttpHeaders.RETRY_AFTER, SECONDS)
        .body(
            ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "Too many look-ups are running. Try again later."));
  }
}
