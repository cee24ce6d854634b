package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import dev.sharding.cache.InformerEvent;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.internal.kubernetes.reconcile.queue.Priority;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What mappers and filters throw is told, and is no reason to lose an event.
 */
class UserEventsFailureTests {

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final List<String> found = new CopyOnWriteArrayList<>();

	private final UserCode userCode = new UserCode(new SimpleMeterRegistry(), System::nanoTime);

	private final AtomicInteger asked = new AtomicInteger();

	private ControllerSpec<Secret> spec;

	private UserEvents<Secret> events;

	@BeforeEach
	void listen() {
		this.log.list = new CopyOnWriteArrayList<>();
		this.log.start();
		logger().addAppender(this.log);
	}

	@AfterEach
	void stop() {
		logger().detachAppender(this.log);
		this.events.close();
		this.userCode.close();
	}

	@Test
	void aMapperWhoseExceptionCannotBeToldIsAskedAgain() {
		added(mapping((map) -> {
			if (this.asked.incrementAndGet() < 3) {
				throw new SilentException();
			}
			return List.of(new ObjectKey("ns", "a"));
		}));
		soon().untilAsserted(() -> assertThat(this.found).containsExactly("ns/a"));
		assertThat(this.asked).hasValue(3);
	}

	@Test
	void aSelectionAndAFilterWhoseExceptionCannotBeToldHideNothing() {
		UserEvents<Secret> events = events((spec) -> spec.select((secret) -> {
			throw new SilentException();
		}).filter((before, after) -> {
			throw new SilentException();
		}));
		Secret secret = new SecretBuilder().withNewMetadata().withNamespace("ns").withName("a").endMetadata().build();
		events.changed(secret, secret, Priority.NORMAL, (writer) -> true);
		soon().untilAsserted(() -> assertThat(this.found).containsExactly("ns/a"));
	}

	@Test
	void onlyTheFirstFailureOfAMapperAtAnObjectIsTraced() {
		UserEvents<Secret> events = mapping((map) -> {
			if (this.asked.incrementAndGet() < 4) {
				throw new IllegalStateException("planned");
			}
			return List.of(new ObjectKey("ns", "a"));
		});
		added(events);
		added(events);
		soon().untilAsserted(() -> assertThat(this.found).containsExactly("ns/a"));
		assertThat(this.log.list).filteredOn((event) -> event.getLevel().isGreaterOrEqual(Level.WARN))
			.singleElement()
			.satisfies((event) -> assertThat(event.getFormattedMessage()).contains("Mapper failed", "ns/map"))
			.satisfies((event) -> assertThat(event.getThrowableProxy()).isNotNull());
		assertThat(this.log.list).filteredOn((event) -> event.getThrowableProxy() != null).hasSize(1);
	}

	private UserEvents<Secret> mapping(Function<ConfigMap, Collection<ObjectKey>> mapper) {
		return events((spec) -> spec.watches(ResourceType.of(ConfigMap.class), mapper));
	}

	private UserEvents<Secret> events(UnaryOperator<ControllerSpec.Builder<Secret>> more) {
		this.spec = more
			.apply(ControllerSpec.of(ResourceType.of(Secret.class), (Secret secret) -> Result.done()).named("c"))
			.build();
		this.events = new UserEvents<>(this.spec, this.userCode, (key) -> null, () -> {
		}, (hit) -> this.found.add(hit.key().toString()));
		return this.events;
	}

	@SuppressWarnings("unchecked")
	private void added(UserEvents<Secret> events) {
		SecondaryWatch<ConfigMap> watch = (SecondaryWatch<ConfigMap>) this.spec.watches().get(0);
		ConfigMap map = new ConfigMapBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName("map")
			.endMetadata()
			.build();
		events.happened(watch, new InformerEvent.Added<>(map, false), (writer) -> true, (key) -> null);
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofMinutes(1));
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger(Controller.class);
	}

	/** Fails when it is asked what it says. */
	private static final class SilentException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		@Override
		public String getMessage() {
			throw new IllegalStateException("planned");
		}

	}

}
