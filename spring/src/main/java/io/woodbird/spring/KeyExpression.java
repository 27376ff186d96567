package io.woodbird.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ReflectionUtils;

/** How the key is found among the arguments of a call. */
final class KeyExpression {
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();

  /** How an expression begins that takes an argument; of the root it must be one too. */
  private static final Pattern ARGUMENT = Pattern.compile("#(?!root\\b)|(#root\\??\\.)?args\\[");

  /** Variables that every expression has. */
  private static final Pattern GIVEN = Pattern.compile("#(root|this|result|[ap]\\d+)");

  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  private final Method method;
  private final @Nullable Expression expression;
  private final boolean usesResult;

  private KeyExpression(Method method, @Nullable Expression expression, boolean usesResult) {
    this.method = method;
    this.expression = expression;
    this.usesResult = usesResult;
  }

  /** The expression, or the only parameter if there is none. */
  static KeyExpression of(Method method, String guard, String text, @Nullable KeyType type) {
    if (text.isEmpty()) {
      return onlyParameter(method, guard, type);
    }
    try {
      SpelExpression expression = PARSER.parseRaw(text);
      checkVariables(method, guard, expression.getAST());
      return new KeyExpression(method, expression, usesResult(expression.getAST()));
    } catch (ParseException e) {
      throw new GuardConfigurationException(
          where(method, guard) + " the key expression can't be read: " + e.getMessage() + ".",
          "Write it as for @Cacheable, such as \"#id\".");
    }
  }

  /** A variable that is no parameter would be null, and the method not guarded. */
  private static void checkVariables(Method method, String guard, SpelNode node) {
    String[] names = NAMES.getParameterNames(method);
    String variable = node.toStringAST();
    if (node instanceof VariableReference
        && !GIVEN.matcher(variable).matches()
        && (names == null || !Arrays.asList(names).contains(variable.substring(1)))) {
      throw new GuardConfigurationException(
          where(method, guard)
              + " its key expression names "
              + variable
              + (names == null
                  ? ", and the class has no names of parameters."
                  : ", and its parameters are " + Arrays.toString(names) + "."),
          names == null
              ? "Compile it with -parameters, or name a parameter by its number, as in \"#p0\"."
              : "Correct the name.");
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      checkVariables(method, guard, node.getChild(i));
    }
  }

  /** A parameter may be called {@code resultId}. */
  private static boolean usesResult(SpelNode node) {
    return (node instanceof VariableReference && node.toStringAST().equals("#result"))
        || IntStream.range(0, node.getChildCount())
            .anyMatch(child -> usesResult(node.getChild(child)));
  }

  /**
   * Whether an expression makes a key that is neither an argument nor a part of one, as in {@code
   * "'sku:' + #sku"}, {@code "#sku.toLowerCase()"} or {@code "#root.methodName"}.
   */
  static boolean isComputed(String text) {
    try {
      SpelNode node = text.isEmpty() ? null : PARSER.parseRaw(text).getAST();
      return node != null && !(isPart(node) && ARGUMENT.matcher(node.toStringAST()).lookingAt());
    } catch (ParseException e) {
      return false; // Whoever reads the expression next refuses it.
    }
  }

  private static boolean isPart(SpelNode node) {
    if (node instanceof CompoundExpression || node instanceof Indexer) {
      return IntStream.range(0, node.getChildCount())
          .mapToObj(node::getChild)
          .allMatch(
              child -> isPart(child) || (node instanceof Indexer && child instanceof Literal));
    }
    if (node instanceof MethodReference call) {
      // An accessor, such as id(). What text has too, such as trim(), makes another text of one.
      return node.getChildCount() == 0
          && ReflectionUtils.findMethod(String.class, call.getName()) == null;
    }
    return node instanceof VariableReference || node instanceof PropertyOrFieldReference;
  }

  /** An expression that is a parameter must be one of the guard's type. */
  static void checkParameter(Method method, String guard, String text, KeyType type) {
    String[] names = NAMES.getParameterNames(method);
    for (int i = 0; names != null && i < names.length; i++) {
      if (text.strip().equals("#" + names[i])) {
        checkType(method, guard, type, method.getParameterTypes()[i]);
      }
    }
  }

  private static KeyExpression onlyParameter(Method method, String guard, @Nullable KeyType type) {
    if (method.getParameterCount() != 1) {
      throw new GuardConfigurationException(
          where(method, guard)
              + " it has "
              + method.getParameterCount()
              + " parameters, so that the key is not clear.",
          "Say which, as in key = \"#id\".");
    }
    checkType(method, guard, type, method.getParameterTypes()[0]);
    return new KeyExpression(method, null, false);
  }

  private static void checkType(
      Method method, String guard, @Nullable KeyType type, Class<?> parameter) {
    if (type != null && !type.accepts(parameter)) {
      throw new GuardConfigurationException(
          where(method, guard)
              + " its parameter is a "
              + parameter.getName()
              + ", and the keys of the guard are of type "
              + type
              + ".",
          "Change woodbird.guards."
              + guard
              + ".key, or say where the key is, as in key = \"#a.id\".");
    }
  }

  static String where(Method method, String guard) {
    return "woodbird guard '"
        + guard
        + "' at "
        + method.getDeclaringClass().getName()
        + "."
        + method.getName()
        + ":";
  }

  /** Whether the key is known only when the method has returned. */
  boolean usesResult() {
    return usesResult;
  }

  @Nullable Object evaluate(@Nullable Object target, Object[] arguments, @Nullable Object result) {
    if (expression == null) {
      return arguments[0];
    }
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(
            new Root(method, arguments, target), method, arguments, NAMES);
    context.setVariable("result", result);
    return expression.getValue(context);
  }

  /** What {@code #root} is, named as in Spring's cache expressions. */
  static final class Root {
    private final Method method;
    private final Object[] args;
    private final @Nullable Object target;

    Root(Method method, Object[] args, @Nullable Object target) {
      this.method = method;
      this.args = args;
      this.target = target;
    }

    public Method getMethod() {
      return method;
    }

    public String getMethodName() {
      return method.getName();
    }

    public Object[] getArgs() {
      return args;
    }

    public @Nullable Object getTarget() {
      return target;
    }
  }
}
