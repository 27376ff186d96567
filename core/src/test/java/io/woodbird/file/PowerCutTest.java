package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After a power cut at any step of a save, a file is the old one or the new one. */
class PowerCutTest {
  @TempDir private Path folder;

  @BeforeAll
  static void needsStrace() {
    assumeTrue(
        Strace.works(), "strace is missing or may not trace: not tested are power cuts in save");
  }

  @Test
  void save_leavesTheOldOrTheNewFile() throws Exception {
    assertThat(saves("safe", 1, 4)).isZero();
  }

  /** The control: the test does see torn files where there are some. */
  @Test
  void aNaiveSave_leavesATornFile() throws Exception {
    assertThat(saves("naive", 1, 1)).isPositive();
  }

  @Tag("slow")
  @Test
  void save_leavesTheOldOrTheNewFile_afterThousandsOfCuts() throws Exception {
    assertThat(saves("safe", 10, 60)).isZero();
  }

  private int saves(String how, int rounds, int tries) throws Exception {
    List<byte[]> contents = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) {
      contents.add(GoldenFiles.bytes(SaveProgram.filter(round)));
    }
    Path own = Files.createDirectory(folder.resolve("own"));
    Path path = own.resolve("seen.wbird");
    Files.write(path, contents.get(0));
    List<String> program =
        ChildJvm.command(CrashPoints.OPTIONS, SaveProgram.class, path, rounds, how);
    return cuts(program, own, "seen.wbird", contents, tries);
  }

  @ParameterizedTest
  @ValueSource(strings = {"map", "patch"})
  void aList_isTheOldOrTheNewOne(String how) throws Exception {
    assertThat(lists(how, 1, 2)).isZero();
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"map", "exact", "sign", "delta", "patch"})
  void aList_isTheOldOrTheNewOne_afterThousandsOfCuts(String how) throws Exception {
    assertThat(lists(how, 4, 60)).isZero();
  }

  private int lists(String how, int rounds, int tries) throws Exception {
    Path made = Files.createDirectory(folder.resolve("made"));
    ListProgram.prepare(rounds, made);
    List<byte[]> contents = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) {
      Path copy = folder.resolve("copy");
      ListProgram.write(how, round, made, copy);
      contents.add(Files.readAllBytes(copy));
    }
    Path own = Files.createDirectory(folder.resolve("own"));
    Path path = own.resolve("list.wbird");
    Files.write(path, contents.get(0));
    List<String> program =
        ChildJvm.command(CrashPoints.OPTIONS, ListProgram.class, how, rounds, made, path);
    return cuts(program, own, "list.wbird", contents, tries);
  }

  /** Cuts the power after each step; returns how often the file was neither the old nor the new. */
  private int cuts(List<String> program, Path own, String name, List<byte[]> contents, int tries)
      throws IOException, InterruptedException {
    long seed = Long.getLong("woodbird.seed", System.nanoTime());
    Random random = new Random(seed);
    List<DiskRecord.Step> steps = DiskRecord.of(program, own, folder.resolve("log"));
    assertThat(new PowerCut(steps, steps.size()).said()).contains("saved " + (contents.size() - 1));
    int torn = 0;
    int cuts = 0;
    for (int cut = start(steps); cut <= steps.size(); cut++) {
      PowerCut power = new PowerCut(steps, cut);
      int saved = CrashPoints.lastNumber(power.said(), "saved ");
      for (int i = 0; i < PowerCut.Luck.values().length - 1 + tries; i++) {
        PowerCut.Luck luck = PowerCut.Luck.values()[Math.min(i, PowerCut.Luck.SOME.ordinal())];
        byte[] found = power.fileAfter(name, luck, random);
        boolean whole =
            found != null
                && (Arrays.equals(found, contents.get(saved))
                    || (saved + 1 < contents.size()
                        && Arrays.equals(found, contents.get(saved + 1))));
        torn += whole ? 0 : 1;
        cuts++;
      }
    }
    System.out.println(name + ": " + cuts + " power cuts, " + torn + " torn, seed " + seed);
    assertThat(cuts).isGreaterThan(40);
    return torn;
  }

  /** Where the program begins to work: before that it only gets ready. */
  static int start(List<DiskRecord.Step> steps) {
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i) instanceof DiskRecord.Said said && said.text().contains("start")) {
        return i + 1;
      }
    }
    throw new AssertionError("it did not begin");
  }
}
