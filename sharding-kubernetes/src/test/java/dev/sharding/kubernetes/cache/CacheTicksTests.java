package dev.sharding.kubernetes.cache;

import java.util.ArrayDeque;
import java.util.Queue;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CacheTicksTests {

	private final Queue<Runnable> due = new ArrayDeque<>();

	private int looks;

	private boolean busy;

	private Runnable whileItFallsAsleep = () -> {
	};

	private final CacheTicks ticks = new CacheTicks(this.due::add, () -> this.looks++, () -> {
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
	void isNotWokenBeforeItStarts() {
		this.ticks.wake();
		assertThat(this.due).isEmpty();
	}

	private void second() {
		this.due.remove().run();
	}

}
