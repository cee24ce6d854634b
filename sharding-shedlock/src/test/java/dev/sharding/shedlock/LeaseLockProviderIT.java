package dev.sharding.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What ShedLock's documentation says of a provider, and that never two hold a lock, on a
 * real API server.
 */
@ControlPlaneTest
@ExtendWith(OutputCaptureExtension.class)
class LeaseLockProviderIT {

	private static final Duration LONG = Duration.ofMinutes(5);

	private static final AtomicInteger tests = new AtomicInteger();

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final String namespace;

	/* One for each test, as these have one namespace. */
	private final String scope = "app-" + tests.incrementAndGet();

	private final String leaseOfJob = this.scope + "-lock-job";

	private final TestTime time = new TestTime();

	private final List<LeaseLockProvider> providers = new ArrayList<>();

	private final LeaseLockProvider one;

	private final LeaseLockProvider two;

	LeaseLockProviderIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.client = client;
		this.namespace = namespace;
		this.one = provider(client, this.time);
		this.two = provider(client, this.time);
	}

	@AfterEach
	void close() {
		this.providers.forEach(LeaseLockProvider::close);
	}

	@Test
	void oneOfTwoLocks() {
		SimpleLock lock = locked(this.one, "job", LONG);
		assertThat(lease(this.leaseOfJob).getSpec().getHolderIdentity()).startsWith("host_");
		assertThat(lease(this.leaseOfJob).getSpec().getLeaseDurationSeconds()).isEqualTo(300);
		assertRefused(this.one, "job");
		assertRefused(this.two, "job");
		lock.unlock();
		for (int turn = 0; turn < 5; turn++) {
			SimpleLock next = locked(this.two, "job", LONG);
			assertRefused(this.one, "job");
			next.unlock();
		}
		locked(this.one, "job", LONG).unlock();
	}

	@Test
	void locksOfOtherNamesAreOtherLocks() {
		locked(this.one, "job", LONG);
		locked(this.two, "Job", LONG);
		locked(this.one, "job #2", LONG);
		assertRefused(this.two, "job");
		assertRefused(this.one, "Job");
		assertRefused(this.two, "job #2");
	}

	@Test
	void isKeptForAsLongAsWasAskedForAtLeast() {
		this.time.freeze();
		lock(this.one, "job", Duration.ofMinutes(2), Duration.ofMinutes(1)).orElseThrow().unlock();
		assertRefused(this.one, "job");
		assertRefused(this.two, "job");
		this.time.advance(Duration.ofSeconds(50));
		assertRefused(this.one, "job");
		assertRefused(this.two, "job");
		this.time.advance(Duration.ofSeconds(11));
		locked(this.two, "job", LONG).unlock();
	}

	@Test
	void isFreeAfterAsLongAsWasAskedForAtMost() {
		this.time.freeze();
		locked(this.one, "job", Duration.ofMillis(50));
		assertRefused(this.two, "job");
		this.time.advance(Duration.ofMillis(51));
		assertRefused(this.two, "job");
		locked(this.one, "job", Duration.ofMillis(50));
		assertRefused(this.two, "job");
		this.time.advance(Duration.ofSeconds(1));
		locked(this.two, "job", LONG);
	}

	@Test
	void aTaskThatOutlastsItsLockIsNotTheNextOneOfItsProcess() {
		locked(this.one, "job", Duration.ofSeconds(30));
		this.time.advance(Duration.ofSeconds(31));
		SimpleLock next = CompletableFuture.supplyAsync(() -> {
			SimpleLock lock = locked(this.one, "job", LONG);
			this.one.requireHeld("job");
			return lock;
		}).join();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> this.one.requireHeld("job"));
		next.unlock();
		locked(this.one, "job", LONG);
		assertThatCode(() -> this.one.requireHeld("job")).doesNotThrowAnyException();
	}

	@Test
	void aThreadWhoseLockAnotherOneUnlockedAsksAboutWhatIsHeldNow() {
		SimpleLock first = locked(this.one, "job", LONG);
		CompletableFuture.runAsync(first::unlock).join();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> this.one.requireHeld("job"));
		CompletableFuture.runAsync(() -> locked(this.one, "job", LONG)).join();
		assertThatCode(() -> this.one.requireHeld("job")).doesNotThrowAnyException();
	}

	@Test
	void whoNeverLookedLooksForAsLongAsTheLockMayLast(CapturedOutput output) {
		this.time.freeze();
		locked(this.one, "job", Duration.ofSeconds(30));
		assertRefused(this.two, "job");
		assertThat(output).doesNotContain("over by the clock");
		this.time.advance(Duration.ofHours(1));
		LeaseLockProvider late = provider(this.client, this.time);
		assertRefused(late, "job");
		assertThat(output).contains("over by the clock", this.namespace + "/" + this.leaseOfJob, "holder=host_");
		this.time.advance(Duration.ofSeconds(29));
		assertRefused(late, "job");
		this.time.advance(Duration.ofSeconds(1));
		locked(late, "job", LONG);
	}

	@Test
	void aLockThatEndedADayAgoIsFreeForWhoNeverLooked() {
		this.time.freeze();
		locked(this.one, "job", Duration.ofSeconds(30));
		this.time.advance(Duration.ofDays(1));
		this.time.advance(Duration.ofSeconds(29));
		assertRefused(this.two, "job");
		this.time.advance(Duration.ofSeconds(1));
		locked(this.two, "job", LONG);
	}

	@Test
	void canBeExtended() {
		SimpleLock first = locked(this.one, "job", Duration.ofSeconds(30));
		assertRefused(this.two, "job");
		this.time.advance(Duration.ofSeconds(20));
		SimpleLock second = first.extend(Duration.ofSeconds(60), Duration.ZERO).orElseThrow();
		this.time.advance(Duration.ofSeconds(40));
		assertRefused(this.two, "job");
		assertThatCode(() -> this.one.requireHeld("job")).doesNotThrowAnyException();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(first::unlock);
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> first.extend(Duration.ofSeconds(60), Duration.ZERO));
		second.unlock();
		locked(this.two, "job", LONG);
	}

	@Test
	void canBeExtendedAtLeast() {
		SimpleLock first = locked(this.one, "job", Duration.ofSeconds(30));
		first.extend(LONG, Duration.ofMinutes(4)).orElseThrow().unlock();
		assertRefused(this.one, "job");
		assertRefused(this.two, "job");
		this.time.advance(Duration.ofMinutes(4));
		locked(this.two, "job", LONG);
	}

	@Test
	void cannotBeUsedAfterItWasUnlocked() {
		SimpleLock lock = locked(this.one, "job", LONG);
		lock.unlock();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> lock.extend(Duration.ofSeconds(60), Duration.ZERO));
		assertNotHeld(this.one, "job");
	}

	@Test
	void whatHasRunOutIsNotExtended() {
		SimpleLock lock = locked(this.one, "job", Duration.ofSeconds(30));
		this.time.advance(Duration.ofSeconds(30));
		assertThat(lock.extend(Duration.ofSeconds(60), Duration.ZERO)).isEmpty();
	}

	@Test
	void aLabelOfSomebodyElseIsNoReasonToLoseALock() {
		SimpleLock lock = locked(this.one, "job", LONG);
		this.client.leases()
			.inNamespace(this.namespace)
			.withName(this.leaseOfJob)
			.edit((lease) -> new LeaseBuilder(lease).editMetadata().addToLabels("team", "a").endMetadata().build());
		lock.extend(LONG, Duration.ZERO).orElseThrow().unlock();
		assertThat(lease(this.leaseOfJob).getMetadata().getLabels()).containsEntry("team", "a");
		locked(this.two, "job", LONG);
	}

	@ParameterizedTest
	@ValueSource(longs = { -1, 1 })
	void aClockThatIsOffLetsNoTwoHoldALock(long hours) {
		TestTime off = new TestTime();
		off.setWall(Duration.ofHours(hours));
		LeaseLockProvider skewed = provider(this.client, off);
		SimpleLock lock = locked(this.one, "job", Duration.ofSeconds(30));
		assertRefused(skewed, "job");
		lock.unlock();
		locked(skewed, "job", Duration.ofSeconds(30));
		assertRefused(this.one, "job");
		// Jumps while it holds the lock: may have been suspended.
		off.setWall(Duration.ofHours(hours + 1));
		assertNotHeld(skewed, "job");
		assertRefused(this.one, "job");
	}

	@Test
	void whoWasPausedActsNoMore() {
		this.time.freeze();
		SimpleLock late = locked(this.one, "job", Duration.ofSeconds(30));
		assertRefused(this.two, "job");
		assertThatCode(() -> this.one.requireHeld("job")).doesNotThrowAnyException();
		this.time.advance(Duration.ofSeconds(28));
		assertNotHeld(this.one, "job");
		assertRefused(this.two, "job");
		this.time.advance(Duration.ofSeconds(2));
		locked(this.two, "job", LONG);
		assertThat(late.extend(LONG, Duration.ZERO)).isEmpty();
		assertRefused(this.one, "job");
	}

	@Test
	void unlockingLateUnlocksNobodyElse() {
		SimpleLock late = locked(this.one, "job", Duration.ofSeconds(30));
		assertRefused(this.two, "job");
		this.time.advance(Duration.ofSeconds(30));
		locked(this.two, "job", LONG);
		late.unlock();
		assertRefused(this.one, "job");
		assertThatCode(() -> this.two.requireHeld("job")).doesNotThrowAnyException();
	}

	@Test
	void whoHeldADeletedLeaseMayNotKnow() {
		locked(this.one, "job", Duration.ofSeconds(30));
		assertRefused(this.two, "job");
		this.client.leases().inNamespace(this.namespace).withName(this.leaseOfJob).delete();
		assertRefused(this.two, "job");
		assertRefused(this.one, "job");
		this.time.advance(Duration.ofSeconds(30));
		locked(this.two, "job", LONG);
	}

	@Test
	void whatIsNotKnownToBeLockedIsNotLeftLocked() {
		try (TcpProxy link = TcpProxy.to(this.controlPlane.apiServer());
				KubernetesClient through = this.controlPlane.admin().through(link).client()) {
			LeaseLockProvider cut = provider(through, this.time);
			SimpleLock before = locked(cut, "before", LONG);
			locked(cut, "job", LONG).unlock();
			link.pauseResponses();
			assertThatExceptionOfType(LockException.class).isThrownBy(() -> lock(cut, "job", LONG, Duration.ZERO))
				.withMessageContaining(this.leaseOfJob);
			// A task has ended: it does not fail for this.
			before.unlock();
			// It may have been unlocked: another may have it.
			assertNotHeld(cut, "before");
			link.heal();
			locked(cut, "job", LONG);
			assertRefused(this.two, "job");
		}
	}

	@Test
	void anExtensionWithoutAnAnswerLetsNobodyHaveTheLockEarlier() {
		try (TcpProxy link = TcpProxy.to(this.controlPlane.apiServer());
				KubernetesClient through = this.controlPlane.admin().through(link).client()) {
			LeaseLockProvider cut = provider(through, this.time);
			SimpleLock lock = locked(cut, "job", LONG);
			link.pauseResponses();
			assertThatExceptionOfType(LockException.class)
				.isThrownBy(() -> lock.extend(Duration.ofSeconds(1), Duration.ZERO));
			assertRefused(this.two, "job");
			this.time.advance(Duration.ofSeconds(2));
			assertThatCode(() -> cut.requireHeld("job")).doesNotThrowAnyException();
			assertRefused(this.two, "job");
			link.heal();
		}
	}

	/* ShedLock's KeepAliveLockProvider never extends again after one failure. */
	@Test
	void anExtensionThatFailsIsTriedAgain() throws Exception {
		try (TcpProxy link = TcpProxy.to(this.controlPlane.apiServer());
				KubernetesClient through = this.controlPlane.admin().through(link).client()) {
			SimpleLock lock = locked(provider(through, this.time), "job", LONG);
			link.pauseResponses();
			CompletableFuture<Optional<SimpleLock>> extended = CompletableFuture
				.supplyAsync(() -> lock.extend(LONG, Duration.ZERO));
			Awaitility.await()
				.during(Duration.ofSeconds(6))
				.atMost(Duration.ofSeconds(30))
				.until(() -> !extended.isDone());
			link.heal();
			assertThat(extended.get(60, TimeUnit.SECONDS)).isPresent();
		}
	}

	@Test
	void aTaskThatWasInterruptedUnlocks() {
		SimpleLock lock = locked(this.one, "job", LONG);
		Thread.currentThread().interrupt();
		lock.unlock();
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> lock(this.one, "other", LONG, Duration.ZERO));
		assertThat(Thread.interrupted()).isTrue();
		locked(this.two, "job", LONG);
	}

	@Test
	void whatCannotBeExtendedIsNotLockedHereAgainWhileItsTaskMayRun() {
		SimpleLock lock = locked(this.one, "job", Duration.ofSeconds(30));
		this.client.leases().inNamespace(this.namespace).withName(this.leaseOfJob).delete();
		assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
		assertNotHeld(this.one, "job");
		assertRefused(this.one, "job");
		this.time.advance(Duration.ofSeconds(30));
		locked(this.one, "job", LONG);
	}

	@Test
	void leavesALeaseAloneThatIsNoLock() {
		this.client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(this.leaseOfJob)
				.endMetadata()
				.build())
			.create();
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> lock(this.one, "job", LONG, Duration.ZERO))
			.withMessageContaining(this.leaseOfJob)
			.withMessageContaining("sharding.dev/lock");
	}

	@Test
	void needsThreeRights() {
		KubernetesClient user = this.controlPlane
			.userIn("locks", this.namespace,
					new PolicyRuleBuilder().withApiGroups("coordination.k8s.io")
						.withResources("leases")
						.withVerbs("get", "create", "update")
						.build())
			.client();
		LeaseLockProvider limited = provider(user, this.time);
		locked(limited, "job", LONG).extend(LONG, Duration.ZERO).orElseThrow().unlock();
		KubernetesClient nobody = this.controlPlane.userIn("no-locks", this.namespace).client();
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> lock(provider(nobody, this.time), "job", LONG, Duration.ZERO))
			.withMessageContaining("forbidden");
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PUT" })
	void aLockWhoseAnswerIsLostIsUsed(String method) {
		if (method.equals("PUT")) {
			locked(this.one, "job", LONG).unlock();
		}
		AtomicBoolean lost = new AtomicBoolean();
		try (AnswerProxy proxy = AnswerProxy.before(this.controlPlane.admin(),
				(request) -> (request.method().equals(method) && lost.compareAndSet(false, true))
						? new Answer(504, Map.of(), "{}") : null);
				KubernetesClient through = new KubernetesClientBuilder().withConfig(proxy.config()).build()) {
			LeaseLockProvider provider = provider(through, this.time);
			SimpleLock lock = locked(provider, "job", LONG);
			assertThat(lost).isTrue();
			assertThatCode(() -> provider.requireHeld("job")).doesNotThrowAnyException();
			assertRefused(this.two, "job");
			lock.unlock();
			locked(this.two, "job", LONG);
		}
	}

	@Test
	void neverTwoOfManyThreadsHoldALock() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(6);
		AtomicInteger holding = new AtomicInteger();
		AtomicInteger turns = new AtomicInteger();
		try {
			List<CompletableFuture<Void>> all = new ArrayList<>();
			for (int thread = 0; thread < 6; thread++) {
				LeaseLockProvider provider = (thread % 2 == 0) ? this.one : this.two;
				all.add(CompletableFuture.runAsync(() -> {
					while (turns.get() < 60) {
						lockInTime(provider).ifPresent((lock) -> {
							assertThat(holding.incrementAndGet()).isOne();
							provider.requireHeld("job");
							turns.incrementAndGet();
							holding.decrementAndGet();
							lock.unlock();
						});
					}
				}, threads));
			}
			CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).get(3, TimeUnit.MINUTES);
		}
		finally {
			threads.shutdownNow();
		}
	}

	/* A call that a machine under load makes too late is made again. */
	private Optional<SimpleLock> lockInTime(LeaseLockProvider provider) {
		try {
			return lock(provider, "job", LONG, Duration.ZERO);
		}
		catch (LockException ex) {
			return Optional.empty();
		}
	}

	private LeaseLockProvider provider(KubernetesClient like, TestTime clock) {
		LeaseLockProvider provider = new LeaseLockProvider(LeaseClients.create(like, RenewalTimings.DEFAULTS),
				this.namespace, this.scope, "host", clock.clock());
		this.providers.add(provider);
		return provider;
	}

	private Optional<SimpleLock> lock(LeaseLockProvider provider, String name, Duration atMost, Duration atLeast) {
		Instant now = this.time.clock().wall().instant();
		return provider.lock(new LockConfiguration(now, name, atMost, atLeast));
	}

	private SimpleLock locked(LeaseLockProvider provider, String name, Duration atMost) {
		return lock(provider, name, atMost, Duration.ZERO).orElseThrow();
	}

	private void assertRefused(LeaseLockProvider provider, String name) {
		assertThat(lock(provider, name, LONG, Duration.ZERO)).isEmpty();
	}

	private static void assertNotHeld(LeaseLockProvider provider, String name) {
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> provider.requireHeld(name));
	}

	private Lease lease(String name) {
		return this.client.leases().inNamespace(this.namespace).withName(name).get();
	}

}
