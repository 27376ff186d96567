import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;

/** The first five lines with Woodbird. */
public class Hello {
  public static void main(String[] args) {
    MutableFilter<String> seen = Woodbird.bloom(Keys.strings(), 10_000_000).fpp(0.001).build();
    System.out.println("crow is new:     " + seen.put("crow"));
    System.out.println("crow again:      " + seen.put("crow"));
    System.out.println("is there a crow? " + (seen.mightContain("crow") ? "maybe" : "no"));
    System.out.println("is there an owl? " + (seen.mightContain("owl") ? "maybe" : "no"));
  }
}
