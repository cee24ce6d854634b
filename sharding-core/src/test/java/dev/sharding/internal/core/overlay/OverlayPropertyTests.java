package dev.sharding.internal.core.overlay;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Contracts C3 and C4, and bounded memory, for any interleaving.
 */
class OverlayPropertyTests {

	@Property(tries = 100_000, edgeCases = EdgeCasesMode.NONE)
	void keepsItsContracts(@ForAll("scripts") int[] script) {
		Interleaving.play(script);
	}

	/**
	 * A list is made between a foreign write that takes the new object out of the scope
	 * and one that takes it back; then the watch brings the first state.
	 */
	@Example
	void aLostCreateWithoutANameIsNobodysOnceAListDidNotFindIt() {
		Interleaving.play(new int[] { 0, 54, 34, 14464, 14, 2584, 0, 0, 0 });
	}

	@Provide
	Arbitrary<int[]> scripts() {
		return Arbitraries.integers().between(0, 100_000).array(int[].class).ofMinSize(5).ofMaxSize(60);
	}

}
