package dev.sharding.internal.kubernetes.usercode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who is told of user code that does not return, and what listeners may do to each other.
 */
class UserCodeTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

	private final UserCode userCode = new UserCode(this.meters, this.nanos::get);

	private final Logger logger = (Logger) LoggerFactory.getLogger(UserCode.class);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	@BeforeEach
	void listen() {
		// Read while others write.
		this.log.list = new CopyOnWriteArrayList<>();
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void close() {
		this.logger.detachAppender(this.log);
		this.userCode.close();
	}

	@Test
	void whatReturnsInTimeIsNotTold() {
		try (UserCode.Call call = this.userCode.begin("bean", "reconcile", "ns/a")) {
			this.nanos.addAndGet(UserCode.LIMIT.toNanos() - 1);
			this.userCode.look();
			assertThat(this.userCode.stuck()).isEmpty();
		}
		this.nanos.addAndGet(UserCode.LIMIT.toNanos());
		this.userCode.look();
		assertThat(this.log.list).isEmpty();
		assertThat(this.meters.getMeters()).isEmpty();
	}

	@Test
	void whatDoesNotReturnIsToldOnceWithBeanAndObjectUntilItReturns() {
		try (UserCode.Call other = this.userCode.begin("other", "filter", null);
				UserCode.Call call = this.userCode.begin("bean", "mapper of configmaps", "ns/a")) {
			other.close();
			this.nanos.addAndGet(UserCode.LIMIT.toNanos());
			this.userCode.look();
			this.nanos.addAndGet(UserCode.LIMIT.toNanos());
			this.userCode.look();
			assertThat(this.userCode.stuck())
				.containsExactly(new StuckCall("bean", "mapper of configmaps", "ns/a", UserCode.LIMIT.multipliedBy(2)));
			assertThat(this.log.list).singleElement().satisfies((event) -> {
				assertThat(event.getFormattedMessage()).contains("bean=bean", "call=\"mapper of configmaps\"",
						"object=ns/a", "seconds=10");
				assertThat(event.getThrowableProxy().getStackTraceElementProxyArray())
					.anySatisfy((frame) -> assertThat(frame.toString()).contains(UserCodeTests.class.getName()));
			});
			TimeGauge gauge = this.meters.get("sharding.user.code.stuck")
				.tags("bean", "bean", "call", "mapper of configmaps")
				.timeGauge();
			assertThat(gauge.value(TimeUnit.SECONDS)).isEqualTo(20);
		}
		this.userCode.look();
		assertThat(this.userCode.stuck()).isEmpty();
		assertThat(this.meters.getMeters()).isEmpty();
	}

	@Test
	void twoCallsOfTheSameCodeShareAMeterUntilBothHaveReturned() {
		try (UserCode.Call later = this.userCode.begin("bean", "reconcile", "ns/b")) {
			try (UserCode.Call first = this.userCode.begin("bean", "reconcile", "ns/a")) {
				this.nanos.addAndGet(UserCode.LIMIT.toNanos());
				this.userCode.look();
				assertThat(this.userCode.stuck()).hasSize(2);
			}
			this.nanos.addAndGet(UserCode.LIMIT.toNanos());
			this.userCode.look();
			assertThat(this.meters.getMeters()).hasSize(1);
			assertThat(this.meters.get("sharding.user.code.stuck")
				.tags("bean", "bean", "call", "reconcile")
				.timeGauge()
				.value(TimeUnit.SECONDS)).isEqualTo(20);
		}
		this.userCode.look();
		assertThat(this.meters.getMeters()).isEmpty();
	}

	@Test
	void theNextLookIsWhenACallMayLastTooLong() {
		assertThat(this.userCode.look()).isEqualTo(UserCode.LIMIT.toNanos());
		try (UserCode.Call call = this.userCode.begin("bean", "reconcile", "ns/a")) {
			this.nanos.addAndGet(1);
			assertThat(this.userCode.look()).isEqualTo(UserCode.LIMIT.toNanos() - 1);
			this.nanos.addAndGet(UserCode.LIMIT.toNanos());
			assertThat(this.userCode.look()).isEqualTo(TimeUnit.SECONDS.toNanos(1));
		}
		assertThat(this.userCode.look()).isEqualTo(UserCode.LIMIT.toNanos());
	}

	@Test
	void tellsByItselfWhatLastsTooLongAlreadyAndWhenThatEnds() {
		try (UserCode.Call call = this.userCode.begin("bean", "reconcile", "ns/a")) {
			this.nanos.addAndGet(UserCode.LIMIT.toNanos());
			this.userCode.start();
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !this.meters.getMeters().isEmpty());
		}
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.meters.getMeters().isEmpty());
	}

	@Test
	void aListenerThatThrowsOrDoesNotReturnHoldsUpNoOther() {
		CountDownLatch never = new CountDownLatch(1);
		List<Integer> heard = new CopyOnWriteArrayList<>();
		try (Listeners<Listener> listeners = new Listeners<>("test listener", this.userCode)) {
			listeners.add((number) -> {
				if (number < 2) {
					throw new StackOverflowError("planned");
				}
			});
			listeners.add((number) -> never.await());
			listeners.add(heard::add);
			int told = Listeners.MOST + 10;
			IntStream.range(0, told).forEach((i) -> {
				listeners.tell(i, (listener) -> hear(listener, i));
				if (i % 1000 == 0) {
					Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> heard.size() == i + 1);
				}
			});
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> heard.size() == told);
			assertThat(heard).isSorted();
			this.nanos.addAndGet(UserCode.LIMIT.toNanos());
			assertThat(this.userCode.stuck()).singleElement().satisfies((call) -> {
				assertThat(call.bean()).startsWith(UserCodeTests.class.getName());
				assertThat(call.call()).isEqualTo("test listener");
				assertThat(call.object()).isEqualTo("0");
			});
			never.countDown();
		}
	}

	private static void hear(Listener listener, int number) {
		try {
			listener.on(number);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private interface Listener {

		void on(int number) throws InterruptedException;

	}

	@Test
	void whatCannotSayWhyItFailedIsToldByItsClass() {
		UserCode.aside(() -> {
			throw new SilentException();
		});
		UserCode.warn(this.logger, "Failed object={}", new SilentException(), "ns/a");
		assertThat(this.log.list).extracting(ILoggingEvent::getFormattedMessage)
			.satisfiesExactly((message) -> assertThat(message).startsWith("Failed to measure or observe, going on"),
					(message) -> assertThat(message).startsWith("Failed object=ns/a reason=")
						.endsWith("SilentException"));
	}

	private static final class SilentException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		@Override
		public String getMessage() {
			throw new IllegalStateException("planned");
		}

	}

}
