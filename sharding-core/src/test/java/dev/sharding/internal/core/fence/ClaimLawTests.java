package dev.sharding.internal.core.fence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import dev.sharding.internal.core.fence.ClaimLaw.Claimed;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimLawTests {

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "ours and nothing let go, true, 7, , true", "somebody else's, false, 7, , false",
			"as we let go of it, true, 7, 7, false", "changed since we let go of it, true, 8, 7, true",
			"not yet as we let go of it, true, 6, 7, false", "not yet by one digit, true, 9, 10, false",
			"changed since then without an order, true, b, a, true", "as then without an order, true, a, a, false",
			"somebody else's since, false, 8, 7, false" })
	void claimBegins(String scenario, boolean ours, String version, @Nullable String letGoOf, boolean expected) {
		assertThat(ClaimLaw.begins(ours, version, letGoOf)).isEqualTo(expected);
	}

	@ParameterizedTest(name = "works for {0}, writes for {1}")
	@CsvSource({ "-, -, ALLOWED", "LIVE, -, ALLOWED", "LIVE, LIVE, ALLOWED", "-, LIVE, ALLOWED", "-, ENDED, REFUSED",
			"-, LETTING_GO, REFUSED", "ENDED, -, REFUSED", "ENDED, LIVE, REFUSED", "LETTING_GO, -, REFUSED",
			"LIVE, ENDED, REFUSED", "-, ENDED LIVE, ALLOWED", "-, ENDED LETTING_GO, REFUSED" })
	void judges(String worksFor, String writesFor, String expected) {
		FenceDecision decision = ClaimLaw.judge(claim(worksFor), claims(writesFor), false);
		assertThat(decision instanceof FenceDecision.Allowed).isEqualTo(expected.equals("ALLOWED"));
	}

	@ParameterizedTest(name = "works for {0}, writes for {1}")
	@CsvSource({ "LETTING_GO, LETTING_GO, ALLOWED", "LETTING_GO, -, ALLOWED", "LIVE, LIVE, REFUSED",
			"ENDED, ENDED, REFUSED" })
	void acknowledgesOnlyWhatItIsLettingGoOf(String worksFor, String writesFor, String expected) {
		FenceDecision decision = ClaimLaw.judge(claim(worksFor), claims(writesFor), true);
		assertThat(decision instanceof FenceDecision.Allowed).isEqualTo(expected.equals("ALLOWED"));
	}

	@Test
	void tellsHowLate() {
		Claimed ended = new Claimed(ClaimState.ENDED, Duration.ofSeconds(3));
		assertThat(ClaimLaw.judge(ended, List.of(), false))
			.isEqualTo(new FenceDecision.Refused(FenceGate.OBJECT, Duration.ofSeconds(3)));
		assertThat(ClaimLaw.judge(null, List.of(ended, new Claimed(ClaimState.ENDED, Duration.ofSeconds(1))), false))
			.isEqualTo(new FenceDecision.Refused(FenceGate.OBJECT, Duration.ofSeconds(1)));
	}

	@Property
	void nothingIsWrittenForAnObjectWithoutALiveClaim(@ForAll("claimed") Claimed own,
			@ForAll("claimLists") List<Claimed> concerned) {
		boolean allowed = ClaimLaw.judge(own, concerned, false) instanceof FenceDecision.Allowed;
		boolean live = concerned.isEmpty() || concerned.stream().anyMatch((c) -> c.state() == ClaimState.LIVE);
		assertThat(allowed).isEqualTo(own.state() == ClaimState.LIVE && live);
	}

	@Property
	void orderOfOwnersDoesNotMatter(@ForAll("claimLists") List<Claimed> concerned) {
		List<Claimed> reversed = new ArrayList<>(concerned);
		Collections.reverse(reversed);
		assertThat(ClaimLaw.judge(null, reversed, false)).isEqualTo(ClaimLaw.judge(null, concerned, false));
	}

	@Provide
	Arbitrary<Claimed> claimed() {
		return Combinators.combine(Arbitraries.of(ClaimState.values()), Arbitraries.longs().between(0, 60_000))
			.as((state, millis) -> (state == ClaimState.LIVE) ? Claimed.LIVE
					: new Claimed(state, Duration.ofMillis(millis)));
	}

	@Provide
	Arbitrary<List<Claimed>> claimLists() {
		return claimed().list().ofMaxSize(4);
	}

	private static List<Claimed> claims(String states) {
		return states.equals("-") ? List.of()
				: List.of(states.split(" "))
					.stream()
					.map((state) -> new Claimed(ClaimState.valueOf(state), Duration.ZERO))
					.toList();
	}

	private static @Nullable Claimed claim(String state) {
		return state.equals("-") ? null : new Claimed(ClaimState.valueOf(state), Duration.ZERO);
	}

}
