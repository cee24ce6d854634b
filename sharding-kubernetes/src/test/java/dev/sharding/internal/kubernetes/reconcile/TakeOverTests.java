package dev.sharding.internal.kubernetes.reconcile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.core.assignment.Newness;
import dev.sharding.resource.ObjectKey;

import static org.assertj.core.api.Assertions.assertThat;

class TakeOverTests {

	private static final ObjectKey A = new ObjectKey("ns", "a");

	private static final Newness.Arrival FIRST = new Newness.Arrival("uid", "7", Map.of());

	private final List<CompletableFuture<Void>> asked = new ArrayList<>();

	private final CompletableFuture<Boolean> proof = new CompletableFuture<>();

	private final AtomicInteger again = new AtomicInteger();

	private final TakeOver takeOver = new TakeOver(() -> {
		CompletableFuture<Void> refresh = new CompletableFuture<>();
		this.asked.add(refresh);
		return refresh;
	}, (key, first) -> this.proof);

	@BeforeEach
	void beginTerm() {
		this.takeOver.forget();
	}

	@Test
	void whatIsFoundBeforeTheFirstTermNeedsNoLook() {
		TakeOver young = new TakeOver(CompletableFuture::new, (key, first) -> this.proof);
		young.arrived(A, null);
		assertThat(young.isSettled(A, this.again::incrementAndGet)).isTrue();
	}

	@Test
	void whatWasThereNeedsNoLook() {
		assertThat(settled()).isTrue();
		assertThat(this.asked).isEmpty();
	}

	@Test
	void whatArrivedWaitsForOneRefresh() {
		this.takeOver.arrived(A, null);
		assertThat(settled()).isFalse();
		assertThat(settled()).isFalse();
		assertThat(this.asked).hasSize(1);
		assertThat(this.again).hasValue(0);
		this.asked.get(0).complete(null);
		assertThat(this.again).hasValue(1);
		assertThat(settled()).isTrue();
		assertThat(this.takeOver.pending()).isZero();
	}

	@Test
	void whatArrivesOnceMoreWaitsOnceMore() {
		this.takeOver.arrived(A, null);
		settled();
		this.takeOver.left(A);
		this.takeOver.arrived(A, null);
		this.asked.get(0).complete(null);
		assertThat(settled()).isFalse();
		assertThat(this.asked).hasSize(2);
	}

	@Test
	void aRefreshOfEverythingCoversWhatIsThere() {
		this.takeOver.arrived(A, null);
		this.takeOver.forget();
		assertThat(settled()).isTrue();
	}

	@Test
	void aRefreshThatFailsIsAskedForAgain() {
		this.takeOver.arrived(A, null);
		settled();
		this.asked.get(0).completeExceptionally(new IllegalStateException("planned"));
		assertThat(this.again).hasValue(1);
		assertThat(settled()).isFalse();
		assertThat(this.asked).hasSize(2);
	}

	@Test
	void whatIsNewWaitsForTheProofAlone() {
		this.takeOver.arrived(A, FIRST);
		assertThat(settled()).isFalse();
		assertThat(settled()).isFalse();
		this.proof.complete(true);
		assertThat(this.again).hasValue(1);
		assertThat(settled()).isTrue();
		assertThat(this.asked).isEmpty();
	}

	@Test
	void whatIsNotProvenWaitsForARefreshThatBeginsAfterwards() {
		this.takeOver.arrived(A, FIRST);
		assertThat(settled()).isFalse();
		assertThat(this.asked).isEmpty();
		this.proof.complete(false);
		assertThat(this.again).hasValue(0);
		assertThat(this.asked).hasSize(1);
		this.asked.get(0).complete(null);
		assertThat(this.again).hasValue(1);
		assertThat(settled()).isTrue();
	}

	@Test
	void aProofOfTheFirstArrivalIsNoneOfTheNext() {
		this.takeOver.arrived(A, FIRST);
		settled();
		this.takeOver.left(A);
		this.takeOver.arrived(A, null);
		this.proof.complete(true);
		assertThat(settled()).isFalse();
		assertThat(this.asked).hasSize(1);
	}

	private boolean settled() {
		return this.takeOver.isSettled(A, this.again::incrementAndGet);
	}

}
