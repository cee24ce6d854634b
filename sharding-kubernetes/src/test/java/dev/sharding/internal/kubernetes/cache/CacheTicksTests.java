package dev.sharding.internal.kubernetes.cache;

import java.util.ArrayDeque;
import java.util.Queue;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CacheTicksTests {

	private final Queue<Runnable> due = new ArrayDeque<>();

	private int looks;

	private boolean busy;

	private Runnable whileItLooks = () -> {
	};

	private Runnable whileItFallsAsleep = () -> {
	};

	private Runnable whileItIsScheduled = () -> {
	};

	private final CacheTicks ticks = new CacheTicks((task) -> {
		this.whileItIsScheduled.run();
		this.due.add(task);
	}, () -> {
		this.looks++;
		this.whileItLooks.run();
	}, () -> {
		boolean rests = !this.busy;
		this.whileItFallsAsleep.run();
		return rests;
	});

	@Test
	void looksEachSecondWhileThereIsSomethingToLookAfter() {
		this.busy = true;
		this.ticks.start();
		second();
		second();
		assertThat(this.looks).isEqualTo(2);
		assertThat(this.due).hasSize(1);
	}

	@Test
	void sleepsAtRestUntilItIsWoken() {
		this.ticks.start();
		second();
		assertThat(this.due).isEmpty();
		this.busy = true;
		this.ticks.wake();
		this.ticks.wake();
		assertThat(this.due).hasSize(1);
		second();
		assertThat(this.looks).isEqualTo(2);
		assertThat(this.due).hasSize(1);
	}

	@Test
	void missesNobodyWhoComesWhileItFallsAsleep() {
		this.ticks.start();
		this.whileItFallsAsleep = () -> {
			this.whileItFallsAsleep = () -> {
			};
			this.busy = true;
			this.ticks.wake();
		};
		second();
		assertThat(this.due).hasSize(1);
	}

	@Test
	void missesNobodyWhoComesWhileItLooks() {
		this.ticks.start();
		this.whileItLooks = () -> {
			this.busy = true;
			this.ticks.wake();
		};
		second();
		assertThat(this.due).hasSize(1);
	}

	/* The machine may be out of memory or threads for a moment. */
	@Test
	void canBeWokenAfterAFailureOfAnyStep() {
		Runnable failing = () -> {
			throw new OutOfMemoryError("for a test");
		};
		this.ticks.start();
		this.whileItLooks = failing;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::second);
		this.whileItLooks = () -> {
		};
		this.whileItFallsAsleep = failing;
		this.ticks.wake();
		assertThat(this.due).hasSize(1);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::second);
		this.whileItIsScheduled = failing;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.ticks::wake);
		this.whileItIsScheduled = () -> {
		};
		this.ticks.wake();
		assertThat(this.due).hasSize(1);
	}

	@Test
	void isNotWokenBeforeItStarts() {
		this.ticks.wake();
		assertThat(this.due).isEmpty();
	}

	private void second() {
		this.due.remove().run();
	}

}
