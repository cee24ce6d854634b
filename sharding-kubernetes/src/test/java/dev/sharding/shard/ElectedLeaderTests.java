package dev.sharding.shard;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.fence.ClaimScope;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.leadership.LeaderWork;
import dev.sharding.leadership.LeadershipListener;
import dev.sharding.leadership.NotLeaderException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ElectedLeaderTests {

	private boolean mayBegin = true;

	private boolean mayWrite = true;

	private final List<String> heard = new CopyOnWriteArrayList<>();

	private final ElectedLeader leader = new ElectedLeader(
			LeaseHolderConfig.leader("ns", "app-leader", "one", RenewalTimings.DEFAULTS), RequestGuard.NONE,
			() -> this.mayBegin, () -> this.mayWrite, () -> new Moment(Instant.EPOCH, 0));

	private final ShardWork work = this.leader.work();

	@Test
	void isNoLeaderBeforeATerm() {
		assertThat(this.leader.isLeader()).isFalse();
		assertThat(this.leader.begin()).isEmpty();
		assertThat(this.leader.run(() -> this.heard.add("ran"))).isFalse();
		assertThat(this.heard).isEmpty();
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(this.leader::requireLeader)
			.withMessageContaining("ns/app-leader");
	}

	@Test
	void leadsForATerm() throws Exception {
		begin();
		assertThat(this.leader.isLeader()).isTrue();
		assertThatCode(this.leader::requireLeader).doesNotThrowAnyException();
		assertThat(this.leader.run(() -> this.heard.add("ran"))).isTrue();
		this.leader.close();
		assertThat(this.leader.isLeader()).isFalse();
		this.work.end();
		assertThat(this.heard).containsExactly("ran");
	}

	@Test
	void mayWriteForLongerThanItMayBegin() throws Exception {
		begin();
		this.mayBegin = false;
		assertThat(this.leader.isLeader()).isFalse();
		assertThat(this.leader.begin()).isEmpty();
		assertThatCode(this.leader::requireLeader).doesNotThrowAnyException();
		this.mayWrite = false;
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(this.leader::requireLeader);
	}

	@Test
	void nothingBeginsOnceTheProcessStopsAndWhatRunsComesToItsEnd() throws Exception {
		begin();
		this.leader.run(() -> {
			this.leader.stop();
			assertThat(this.leader.isLeader()).isFalse();
			assertThatCode(this.leader::requireLeader).doesNotThrowAnyException();
			this.heard.add("ran");
		});
		assertThat(this.leader.begin()).isEmpty();
		assertThat(this.leader.run(() -> this.heard.add("ran again"))).isFalse();
		this.work.end();
		assertThat(this.heard).containsExactly("ran");
	}

	@Test
	void aReconcileOfTheTermIsTheLeadersAlsoAfterTheWork() throws Exception {
		begin();
		try (ClaimScope reconciling = ClaimScope.leading(this.leader.term())) {
			this.work.end();
			assertThatCode(this.leader::requireLeader).doesNotThrowAnyException();
			this.leader.close();
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(this.leader::requireLeader);
		}
	}

	@Test
	void aListenerHearsOfNoTermThatEndedWhileTheOneBeforeStayed() throws Exception {
		this.leader.addListener(new LeadershipListener() {
			@Override
			public void acquired() {
				ElectedLeaderTests.this.heard.add("stayed");
				ElectedLeaderTests.this.leader.close();
			}
		});
		this.leader.addListener(new LeadershipListener() {
			@Override
			public void acquired() {
				ElectedLeaderTests.this.heard.add("heard");
			}

			@Override
			public void lost() {
				ElectedLeaderTests.this.heard.add("lost without having heard");
			}
		});
		begin();
		this.work.end();
		assertThat(this.heard).containsExactly("stayed");
	}

	@Test
	void aTermThatIsLostBeforeItsWorkBeginsIsNone() throws Exception {
		this.leader.addListener(listener());
		this.leader.open();
		this.leader.close();
		this.work.begin();
		assertThat(this.leader.isLeader()).isFalse();
		this.work.end();
		assertThat(this.heard).isEmpty();
	}

	@Test
	void tellsOfATerm() throws Exception {
		this.leader.addListener(new LeadershipListener() {

			@Override
			public void acquired() {
				throw new IllegalStateException("of a listener");
			}

		});
		this.leader.addListener(listener());
		begin();
		this.work.end();
		assertThat(this.heard).containsExactly("acquired true", "lost false");
	}

	@Test
	void aStopWaitsForWorkWhichMayGoOnWriting() throws Exception {
		begin();
		CountDownLatch go = new CountDownLatch(1);
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<String> job = CompletableFuture.supplyAsync(() -> {
			StringBuilder seen = new StringBuilder();
			this.leader.run(() -> {
				begun.countDown();
				await(go);
				seen.append(this.leader.isLeader());
				this.leader.requireLeader();
				seen.append(this.leader.run(() -> {
				}));
			});
			return seen.toString();
		}, ElectedLeaderTests::onThreadOfItsOwn);
		await(begun);
		CompletableFuture<Void> end = CompletableFuture.runAsync(this::end, ElectedLeaderTests::onThreadOfItsOwn);
		while (this.leader.isLeader()) {
			Thread.onSpinWait();
		}
		assertThat(this.leader.begin()).isEmpty();
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(this.leader::requireLeader);
		assertThat(end).isNotDone();
		go.countDown();
		assertThat(job.get(1, TimeUnit.MINUTES)).isEqualTo("falsetrue");
		end.get(1, TimeUnit.MINUTES);
	}

	@Test
	void workOfALostTermMayWriteNoMoreAlsoInTheNext() throws Exception {
		begin();
		Optional<LeaderWork> late = this.leader.begin();
		this.leader.close();
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(this.leader::requireLeader);
		this.leader.open();
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(this.leader::requireLeader);
		assertThat(this.leader.isLeader()).isFalse();
		late.orElseThrow().close();
		late.orElseThrow().close();
		this.work.end();
		this.work.begin();
		assertThat(this.leader.isLeader()).isTrue();
		assertThatCode(this.leader::requireLeader).doesNotThrowAnyException();
	}

	private void begin() throws Exception {
		this.leader.open();
		this.work.begin();
	}

	private void end() {
		try {
			this.work.end();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private LeadershipListener listener() {
		return new LeadershipListener() {

			@Override
			public void acquired() {
				ElectedLeaderTests.this.leader.requireLeader();
				ElectedLeaderTests.this.heard.add("acquired " + ElectedLeaderTests.this.leader.isLeader());
			}

			@Override
			public void lost() {
				ElectedLeaderTests.this.heard.add("lost " + ElectedLeaderTests.this.leader.isLeader());
			}

		};
	}

	/**
	 * The pool that is there without asking has one thread on two cores, and this work
	 * blocks it.
	 */
	private static void onThreadOfItsOwn(Runnable work) {
		Thread thread = new Thread(work, "election-test");
		thread.setDaemon(true);
		thread.start();
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
