package dev.sharding.internal.kubernetes.reconcile.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class QueueStateTests {

	private final QueueState<String> queue = new QueueState<>();

	@Test
	void servesInOrderOfArrival() {
		this.queue.add("a", Priority.NORMAL, 1);
		this.queue.add("b", Priority.NORMAL, 2);
		assertThat(keysAt(3)).containsExactly("a", "b");
	}

	@Test
	void servesTheMoreUrgentFirst() {
		this.queue.add("resync", Priority.LOW, 1);
		this.queue.add("change", Priority.NORMAL, 2);
		this.queue.add("drain", Priority.HIGH, 3);
		assertThat(keysAt(4)).containsExactly("drain", "change", "resync");
	}

	@Test
	void addingAWaitingKeyAgainIsOneKeyWithTheMoreUrgentPriority() {
		this.queue.add("a", Priority.LOW, 1);
		this.queue.add("b", Priority.LOW, 1);
		this.queue.add("c", Priority.LOW, 1);
		this.queue.add("b", Priority.NORMAL, 2);
		this.queue.add("b", Priority.LOW, 3);
		assertThat(keysAt(4)).containsExactly("b", "a", "c");
	}

	@Test
	void aKeyIsServedByOneAtATime() {
		this.queue.add("a", Priority.NORMAL, 1);
		QueueItem<String> first = this.queue.poll(1);
		this.queue.add("a", Priority.NORMAL, 2);
		assertThat(this.queue.poll(2)).isNull();
		this.queue.finish(first, 3);
		assertThat(keysAt(3)).containsExactly("a");
	}

	@Test
	void anAddDuringTheWorkIsServedOnceMore() {
		this.queue.add("a", Priority.NORMAL, 1);
		QueueItem<String> first = this.queue.poll(1);
		this.queue.add("a", Priority.NORMAL, 2);
		this.queue.add("a", Priority.HIGH, 2);
		this.queue.add("b", Priority.NORMAL, 2);
		this.queue.finish(first, 3);
		assertThat(keysAt(3)).containsExactly("a", "b");
		assertThat(this.queue.size()).isEqualTo(2);
	}

	@Test
	void nothingIsKeptOfAKeyThatIsDone() {
		this.queue.add("a", Priority.NORMAL, 1);
		this.queue.finish(this.queue.poll(1), 2);
		assertThat(this.queue.size()).isZero();
		assertThat(this.queue.active()).isZero();
	}

	@Test
	void aDelayedKeyComesWhenItIsDue() {
		this.queue.addAt("a", Priority.NORMAL, 10);
		assertThat(this.queue.poll(9)).isNull();
		assertThat(this.queue.nextDelay(9)).isEqualTo(1);
		assertThat(keysAt(10)).containsExactly("a");
	}

	@Test
	void theEarlierOfTwoDelaysWins() {
		this.queue.addAt("a", Priority.NORMAL, 10);
		this.queue.addAt("a", Priority.NORMAL, 5);
		this.queue.addAt("a", Priority.NORMAL, 20);
		assertThat(this.queue.nextDelay(0)).isEqualTo(5);
		assertThat(this.queue.delayed()).isEqualTo(1);
	}

	@Test
	void anAddEndsTheDelay() {
		this.queue.addAt("a", Priority.NORMAL, 10);
		this.queue.add("a", Priority.LOW, 1);
		assertThat(keysAt(1)).containsExactly("a");
		assertThat(this.queue.delayed()).isZero();
	}

	@Test
	void aDelayThatEndsDuringTheWorkIsServedAfterIt() {
		this.queue.add("a", Priority.NORMAL, 1);
		QueueItem<String> first = this.queue.poll(1);
		this.queue.addAt("a", Priority.NORMAL, 5);
		assertThat(this.queue.poll(6)).isNull();
		this.queue.finish(first, 7);
		assertThat(keysAt(7)).containsExactly("a");
	}

	@Test
	void failuresAreCountedUntilTheWorkSucceeds() {
		this.queue.add("a", Priority.LOW, 1);
		QueueItem<String> item = this.queue.poll(1);
		this.queue.finishFailed(item, 10, 2);
		assertThat(item.failures).isOne();
		assertThat(this.queue.poll(9)).isNull();
		item = this.queue.poll(10);
		assertThat(item.takenFrom).isEqualTo(Priority.LOW);
		this.queue.finishFailed(item, 20, 11);
		assertThat(item.failures).isEqualTo(2);
		item = this.queue.poll(20);
		this.queue.finish(item, 21);
		assertThat(item.failures).isZero();
		assertThat(this.queue.size()).isZero();
	}

	@Test
	void anAddDuringWorkThatFailsIsServedAtOnce() {
		this.queue.add("a", Priority.NORMAL, 1);
		QueueItem<String> item = this.queue.poll(1);
		this.queue.add("a", Priority.NORMAL, 2);
		this.queue.finishFailed(item, 1000, 3);
		assertThat(keysAt(3)).containsExactly("a");
		assertThat(item.failures).isOne();
	}

	@Test
	void clearForgetsAllThatWaitsAndTheOutcomeOfWhatRuns() {
		this.queue.add("runs", Priority.NORMAL, 1);
		QueueItem<String> running = this.queue.poll(1);
		this.queue.add("runs", Priority.NORMAL, 2);
		this.queue.add("waits", Priority.NORMAL, 2);
		this.queue.addAt("later", Priority.NORMAL, 5);
		this.queue.clear();
		assertThat(this.queue.poll(100)).isNull();
		this.queue.finishFailed(running, 200, 101);
		assertThat(this.queue.size()).isZero();
	}

	@Test
	void workFromBeforeAClearStillExcludesNewWorkOnItsKey() {
		this.queue.add("a", Priority.NORMAL, 1);
		QueueItem<String> old = this.queue.poll(1);
		this.queue.clear();
		this.queue.add("a", Priority.LOW, 2);
		assertThat(this.queue.poll(2)).isNull();
		this.queue.finishAndAddAt(old, 3, 3);
		assertThat(keysAt(3)).containsExactly("a");
	}

	@Test
	void dropForgetsOneKey() {
		this.queue.add("a", Priority.NORMAL, 1);
		this.queue.addAt("b", Priority.NORMAL, 5);
		this.queue.drop("a");
		this.queue.drop("b");
		this.queue.drop("c");
		assertThat(this.queue.size()).isZero();
		assertThat(this.queue.poll(10)).isNull();
	}

	@Test
	void timesMayWrapAround() {
		long now = Long.MAX_VALUE - 1;
		this.queue.addAt("a", Priority.NORMAL, now + 10);
		this.queue.addAt("b", Priority.NORMAL, now + 1);
		assertThat(this.queue.nextDelay(now)).isEqualTo(1);
		assertThat(this.queue.poll(now)).isNull();
		assertThat(keysAt(now + 10)).containsExactly("b", "a");
	}

	@Test
	void whatIsAlwaysThereDoesNotStarveTheLessUrgent() {
		this.queue.add("resync", Priority.LOW, 0);
		this.queue.add("change", Priority.NORMAL, 0);
		this.queue.add("drain", Priority.HIGH, 0);
		List<String> served = new ArrayList<>();
		for (int now = 1; now <= 120; now++) {
			QueueItem<String> item = this.queue.poll(now);
			served.add(item.key);
			this.queue.finishAndAddAt(item, now, now);
		}
		assertThat(served.subList(0, 10)).containsOnly("drain");
		assertThat(served).filteredOn("resync"::equals).hasSizeBetween(9, 10);
		assertThat(served).filteredOn("change"::equals).hasSizeBetween(9, 10);
	}

	/**
	 * Whatever comes: the first of a lane that waits is served in a bounded number of
	 * turns.
	 */
	@Property(tries = 1000)
	void nobodyStarves(@ForAll("steps") List<Step> steps, @ForAll Priority waiting) {
		QueueState<String> subject = new QueueState<>();
		subject.add("waits", waiting, 0);
		long now = 0;
		int turns = 0;
		while (true) {
			for (Step step : steps) {
				subject.add(step.key(), step.priority(), now);
			}
			subject.add("urgent", Priority.HIGH, now);
			QueueItem<String> item = subject.poll(++now);
			turns++;
			if (item.key.equals("waits")) {
				break;
			}
			subject.finish(item, now);
			// 4 keys of the steps may be before it in its lane.
			assertThat(turns).isLessThanOrEqualTo(6 * (QueueState.PATIENCE + 2));
		}
	}

	@Test
	void whatWasPutOffFailedNoMoreOftenThanBefore() {
		this.queue.add("a", Priority.NORMAL, 1);
		QueueItem<String> item = this.queue.poll(1);
		this.queue.finishFailed(item, 2, 2);
		item = this.queue.poll(2);
		this.queue.finishPutOff(item, 10, 3);
		assertThat(item.failures).isOne();
		assertThat(this.queue.poll(9)).isNull();
		assertThat(this.queue.poll(10)).isSameAs(item);
	}

	@Test
	void refusalsAreCountedUntilTheWorkSucceeds() {
		this.queue.add("a", Priority.NORMAL, 1);
		QueueItem<String> item = this.queue.poll(1);
		this.queue.finishRefused(item, 2, 2);
		item = this.queue.poll(2);
		this.queue.finishRefused(item, 3, 3);
		assertThat(item.refusals).isEqualTo(2);
		assertThat(item.failures).isZero();
		item = this.queue.poll(3);
		this.queue.finish(item, 4);
		assertThat(item.refusals).isZero();
	}

	/**
	 * Against a model that remembers for each key what was promised: an add is followed
	 * by a start of work, a key is never worked on twice at a time, and of two waiting
	 * keys the more urgent one comes first, but for one in so many turns.
	 */
	@Property(tries = 2000)
	void keepsItsPromises(@ForAll("steps") List<Step> steps) {
		QueueState<String> subject = new QueueState<>();
		Map<String, Priority> promised = new HashMap<>();
		Map<String, QueueItem<String>> active = new HashMap<>();
		int[] passedOver = new int[Priority.values().length];
		long now = 0;
		for (Step step : steps) {
			now++;
			switch (step.kind()) {
				case ADD -> {
					subject.add(step.key(), step.priority(), now);
					promised.merge(step.key(), step.priority(), Priority::moreUrgentOf);
				}
				case TAKE -> take(subject, promised, active, passedOver, now);
				case FINISH -> {
					QueueItem<String> item = active.remove(step.key());
					if (item != null) {
						subject.finish(item, now);
					}
				}
				case FAIL -> {
					QueueItem<String> item = active.remove(step.key());
					if (item != null) {
						subject.finishFailed(item, now, now);
						promised.merge(step.key(), item.takenFrom, Priority::moreUrgentOf);
					}
				}
			}
		}
		while (!active.isEmpty() || !promised.isEmpty()) {
			now++;
			for (QueueItem<String> item : active.values()) {
				subject.finish(item, now);
			}
			active.clear();
			take(subject, promised, active, passedOver, now);
			if (active.isEmpty()) {
				assertThat(promised).as("a promised key is never lost").isEmpty();
			}
		}
		assertThat(subject.size()).isZero();
		assertThat(subject.active()).isZero();
	}

	private static void take(QueueState<String> subject, Map<String, Priority> promised,
			Map<String, QueueItem<String>> active, int[] passedOver, long now) {
		QueueItem<String> item = subject.poll(now);
		if (item == null) {
			assertThat(active.keySet()).as("all that is promised is being worked on").containsAll(promised.keySet());
			return;
		}
		assertThat(active).doesNotContainKey(item.key);
		assertThat(promised).containsKey(item.key);
		int lane = item.takenFrom.ordinal();
		promised.forEach((key, priority) -> {
			if (!active.containsKey(key) && passedOver[lane] < QueueState.PATIENCE) {
				assertThat(priority.isMoreUrgentThan(item.takenFrom)).as("%s before %s", key, item.key).isFalse();
			}
		});
		passedOver[lane] = 0;
		for (int i = lane + 1; i < passedOver.length; i++) {
			passedOver[i]++;
		}
		promised.remove(item.key);
		active.put(item.key, item);
	}

	@Provide
	Arbitrary<List<Step>> steps() {
		Arbitrary<Step> step = Combinators
			.combine(Arbitraries.of(Kind.values()), Arbitraries.of("a", "b", "c", "d"),
					Arbitraries.of(Priority.values()))
			.as(Step::new);
		return step.list().ofMaxSize(60);
	}

	private List<String> keysAt(long now) {
		List<String> keys = new ArrayList<>();
		QueueItem<String> item = this.queue.poll(now);
		while (item != null) {
			keys.add(item.key);
			item = this.queue.poll(now);
		}
		return keys;
	}

	enum Kind {

		ADD, TAKE, FINISH, FAIL

	}

	record Step(Kind kind, String key, Priority priority) {

	}

}
