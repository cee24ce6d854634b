package dev.sharding.internal.kubernetes.informer.store;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

import dev.sharding.internal.kubernetes.informer.store.ReadMutants.Mutant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each rule of consistent reads is needed: without it some order of things makes a read
 * show what was not the latest. (That an answer must not replace what is newer is one of
 * {@code OverlayMutantsTests}.)
 */
class ReadMutantsTests {

	private static final int GAMES = Integer.getInteger("consistent.games", 3_000);

	/** By the same games each time: one that kills it is all there is to show. */
	@ParameterizedTest
	@MethodSource("mutants")
	void isKilled(Mutant mutant) throws Exception {
		Throwable death = ReadMutants.play(mutant, ReadSimulation.class, GAMES);
		assertThat(death).as("'%s' survived %d games", mutant, GAMES).isNotNull();
		assertThat(death).hasStackTraceContaining("IllegalStateException");
	}

	static Stream<Mutant> mutants() {
		return Stream.of(
				new Mutant("the watermark moves before the state", "store/StorePart.java",
						"store(facts.key(), object, filings, false, false);",
						"advance(facts.version());\n			store(facts.key(), object, filings, false, false);"),
				new Mutant("what is stored but not listed does not matter", "store/Expectation.java",
						"this.ghosts.add(key);", ""),
				new Mutant("what is listed but not stored does not matter", "store/Expectation.java",
						"this.missing.addAll(this.listed.keySet());", ""),
				new Mutant("readers join a flight that is under way", "SingleFlight.java",
						"if (!this.current.closed) {", "if (true) {"),
				new Mutant("the newest of the objects is waited for", "store/PartFlight.java",
						"return new Expectation(version, versions.objects(),",
						"String newest = versions.objects().values().stream()\n"
								+ "				.max(java.util.Comparator.comparingLong(Long::parseLong)).orElse(\"1\");\n"
								+ "			return new Expectation(newest, versions.objects(),"),
				new Mutant("what is compared during a relist counts", "store/StorePart.java",
						"if (this.relisting && !isKnown(expectation.version())) {", "if (false) {"),
				new Mutant("the probe asks for any version", "store/ScopeRequests.java",
						"return scoped(this.probed, (fields != null) ? fields + \",\" + NOBODY : NOBODY, null)",
						"return scoped(this.probed, (fields != null) ? fields + \",\" + NOBODY : NOBODY, null)"
								+ ".query(\"resourceVersion\", \"0\")"),
				new Mutant("what was selected and is no more does not matter", "store/Expectation.java",
						"|| !isSelected(labels)", "|| this.query != null"),
				new Mutant("a list by a selector moves the watermark", "store/StorePart.java",
						"expectation.coversScope() && ", ""),
				new Mutant("what is selected is read later", "store/Selection.java", "if (this.taken.isEmpty()) {",
						"if (true) {"),
				new Mutant("what was selected before counts whatever was written since", "store/Selection.java",
						"ResourceVersions.compare(selected.version(), present) != Order.SAME",
						"ResourceVersions.compare(selected.version(), present) == null"),
				new Mutant("readers share the list of another selector", "store/SelectedCatchUps.java",
						"this.lines.get(query)", "this.lines.values().stream().findFirst().orElse(null)"));
	}

	@Test
	void aSnapshotOutsideTheLockIsTorn() throws Exception {
		Mutant mutant = new Mutant("a snapshot takes no lock", "store/Store.java",
				"return read(() -> new ArrayList<>(this.objects.values()));",
				"return new ArrayList<>(this.objects.values());");
		assertThat(ReadMutants.play(mutant, TornSnapshot.class, 1)).hasMessageContaining("half of a relist");
	}

	@Test
	void survivesWithAllRules() throws Exception {
		// The same games each time, and as many new ones.
		long fresh = ThreadLocalRandom.current().nextLong(1L << 40);
		for (int game = 1; game <= GAMES; game++) {
			survives(game);
			survives(fresh + game);
		}
		TornSnapshot.play(1);
	}

	private static void survives(long seed) throws Exception {
		try {
			ReadSimulation.play(seed);
		}
		catch (AssertionError error) {
			throw new AssertionError("The game with seed %d failed".formatted(seed), error);
		}
	}

}
