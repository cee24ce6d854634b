package dev.sharding.internal.core.overlay;

import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

import dev.sharding.internal.core.SourceMutants.Mutant;
import dev.sharding.internal.core.overlay.OverlayMutants.Death;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each rule of the overlay is needed: without it some interleaving breaks a contract. All
 * mutants with a report of how each dies:
 * {@code mvn -pl sharding-core test -Dtest=OverlayMutantsTests -Doverlay.mutants.report=true}.
 */
class OverlayMutantsTests {

	private static final int SEQUENCES = Integer.getInteger("overlay.mutants.sequences", 120_000);

	/*
	 * The seeds of plays that kill them, where many others do not: the search begins
	 * there.
	 */
	private static final Map<String, Integer> KILLED_BY = Map.of("a deleted object leaves no floor", 43_246,
			"the first of several tries is forgotten", 34_220, "a removal ends a delete", 17_821,
			"a doubt that arose before a read is left out", 11_510, "an answer ends the doubt about a later try", 4_887,
			"the end of an object is shown as the object", 3_197, "any later answer covers a delete", 3_155);

	/** By the same plays each time: one that kills it is all there is to show. */
	@ParameterizedTest
	@MethodSource("mutants")
	void isKilled(Mutant mutant) throws Exception {
		Death death = OverlayMutants.play(mutant, SEQUENCES, KILLED_BY.getOrDefault(mutant.name(), 1));
		assertThat(death).as("'%s' survived %s sequences", mutant, SEQUENCES).isNotNull();
		if (Boolean.getBoolean("overlay.mutants.report")) {
			System.out.printf("%s: killed by sequence %d, %s%n", mutant, death.sequences(),
					String.valueOf(death.cause()).lines().findFirst().orElse("").split(": ", 3)[1]);
		}
	}

	@Test
	void survivesWithAllRules() throws Exception {
		Mutant none = new Mutant("nothing taken away", "Overlay.java", "public final class Overlay<K, T> {",
				"public final class Overlay<K, T> {");
		long seed = ThreadLocalRandom.current().nextLong(1L << 40);
		assertThat(OverlayMutants.play(none, 1_000, seed)).as("sequences from seed %d on", seed).isNull();
	}

	static Stream<Mutant> mutants() {
		return Stream.of(
				new Mutant("versions are compared as text", "FeedPosition.java",
						"Order order = ResourceVersions.compare(version, than);",
						"Order order = (version == null || than == null) ? Order.NOT_COMPARABLE "
								+ ": (version.compareTo(than) < 0) ? Order.BEFORE : Order.AFTER;"),
				new Mutant("an older answer replaces a newer one", "OwnResults.java",
						"(known == null || known.olderThan(result.version()))", "true"),
				new Mutant("each event ends an own result", "OwnResults.java",
						"FeedPosition.notOlder(this.access.version(event.object()), result.version())", "true"),
				new Mutant("the watermark of the store is not looked at", "Correction.java",
						"!FeedPosition.notOlder(watermark, this.result.version())", "true"),
				new Mutant("an object outside the scope is shown", "OwnResults.java",
						"this.access.inScope(object) ? object : null", "object"),
				new Mutant("the end of an object is shown as the object", "OwnResults.java",
						"!this.access.exists(object)", "false"),
				new Mutant("the uid of a deleted object is not looked at", "Correction.java", "deleted ? null : winner",
						"winner"),
				new Mutant("a deleted object leaves no floor", "OwnResults.java",
						"put(key, new OwnResult<>(order, version, uid, null, now));", ""),
				new Mutant("a removal ends a delete", "OwnResults.java",
						"OwnResult<T> result = this.results.get(key);\n		if (result != null && FeedPosition",
						"OwnResult<T> result = this.results.get(key);\n"
								+ "		if (event instanceof ObservedEvent.Removed<T>) { this.deletedUids.remove(key); }\n"
								+ "		if (result != null && FeedPosition"),
				new Mutant("any later answer covers a delete", "OpenEnded.java", "if (entry.getKey() >= order) {",
						"if (false) {"),
				new Mutant("the first of several tries is forgotten", "Doubt.java",
						"Math.min(this.first, earlier.first)", "this.first"),
				new Mutant("an answer ends the doubt about a later try", "Doubts.java",
						"if (entry.getKey() <= asked) {", "if (true) {"),
				new Mutant("a doubt that arose before a read is left out", "OwnResults.java",
						"this.doubts.names((doubt) -> doubt.first() <= mark)",
						"this.doubts.names((doubt) -> doubt.first() < mark)"),
				new Mutant("what is listed is taken as delivered", "OwnResults.java",
						"if (!this.position.covers(each)) {", "if (false) {"),
				new Mutant("any progress delivers what was listed", "Doubts.java", "position.covers(doubt.located())",
						"true"),
				new Mutant("what is not listed is not noted", "OwnResults.java", "&& !versions.containsKey(key)",
						"&& false"),
				new Mutant("what may have been created without a name is not looked for", "OwnResults.java",
						"this.doubts.mayBe(unnamed, ahead, orders);", ""),
				new Mutant("a delete by name alone is taken as proven", "OwnResults.java",
						"if (version == null || !ResourceVersions.isComparable(version)) {\n			doubt(order, delete, now);",
						"if (version == null || !ResourceVersions.isComparable(version)) {\n"
								+ "			deleted(order, delete.key(), uid, \"1\", now);"),
				new Mutant("an unknown outcome is taken as a failure", "Overlay.java",
						"this.results.doubt(++this.order, flight.write, now);", ""),
				new Mutant("a list takes what does not match", "ReadView.java",
						"if (object != null && predicate.test(object)) {", "if (object != null) {"),
				new Mutant("a list knows only what the store knows", "ReadView.java",
						"if (object != null && predicate.test(object)) {",
						"if (object != null && predicate.test(object) && store.get(entry.getKey()) != null) {"),
				new Mutant("an event of a relist moves the position", "FeedPosition.java", "!this.relisting && ", ""),
				new Mutant("the end of a relist is not looked at", "FeedPosition.java",
						"this.reached = ResourceVersions.isComparable(version) ? version : null;", ""),
				new Mutant("bookmarks are not looked at", "Overlay.java",
						"public void bookmark(String version) {\n		this.position.advance(version);",
						"public void bookmark(String version) {"),
				new Mutant("each echo is filtered", "EchoProof.java",
						"return mayExplain(flight.write, event, relist) ?", "return true ?"),
				new Mutant("the base version is not looked at", "EchoProof.java",
						"&& update.baseVersion().equals(this.access.version(updated.before()));", ";"),
				new Mutant("the content is not looked at", "EchoProof.java",
						"update.change().explains(event.before(), event.object());", "true;"),
				new Mutant("a relist counts as proof for a patch", "EchoProof.java",
						"return !relist && update.change()", "return update.change()"),
				new Mutant("a relist counts as proof for a create", "EchoProof.java",
						"event instanceof Added<T> && !relist;", "event instanceof Added<T>;"),
				new Mutant("the version of the answer is not looked at", "EchoProof.java",
						"!flight.inFlight() && !isAnswerOf(flight, event.object())", "false"),
				new Mutant("the echo is filtered for everybody", "Emission.java", "!this.except.contains(writer)",
						"this.except.isEmpty()"),
				new Mutant("no event is held", "Window.java", "verdict == Verdict.POSSIBLE || holdsFor(writer)",
						"holdsFor(writer)"),
				new Mutant("a later event overtakes a held one", "Window.java",
						"verdict == Verdict.POSSIBLE || holdsFor(writer)", "verdict == Verdict.POSSIBLE"),
				new Mutant("a refused write swallows what was held", "EchoFilter.java",
						"this.unnamed.remove(flight);\n		reconsider(flight, out);", "this.unnamed.remove(flight);"),
				new Mutant("a removal overtakes a held event", "EchoFilter.java",
						"|| event instanceof ObservedEvent.Removed<T>\n				|| window.held()",
						"|| window.held()"),
				new Mutant("an answer is awaited though its echo has passed", "EchoFilter.java",
						"if (this.position.covers(version)) {\n			flight.passEcho();",
						"if (false) {\n			flight.passEcho();"));
	}

}
