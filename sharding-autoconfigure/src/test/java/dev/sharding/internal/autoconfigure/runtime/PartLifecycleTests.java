package dev.sharding.internal.autoconfigure.runtime;

import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What keeps the process alive, and for how long.
 */
class PartLifecycleTests {

	@Test
	void keepsTheProcessAliveFromItsStartToItsStop() {
		PartLifecycle lifecycle = new PartLifecycle(new Named("kept-alive", true), true);
		assertThat(keepingAlive("sharding-kept-alive")).isEmpty();
		lifecycle.start();
		assertThat(keepingAlive("sharding-kept-alive")).hasSize(1);
		lifecycle.stop();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> keepingAlive("sharding-kept-alive").isEmpty());
	}

	@Test
	void whatHasNothingToDoKeepsNothingAlive() {
		new PartLifecycle(new Named("idle", false), true).start();
		assertThat(keepingAlive("sharding-idle")).isEmpty();
	}

	@Test
	void whatHasStoppedSaysThatItDoesNotStartAgain() {
		PartLifecycle lifecycle = new PartLifecycle(new Named("once", true), true);
		lifecycle.start();
		lifecycle.stop();
		assertThatIllegalStateException().isThrownBy(lifecycle::start).withMessageContaining("once");
	}

	@Test
	void aContextThatFailsToStartIsKeptAliveByNothing() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("part", PartLifecycle.class,
					() -> new PartLifecycle(new Named("of-failed", true), true));
			context.registerBean("failing", PartLifecycle.class, () -> {
				PartLifecycle failing = new PartLifecycle(new Named("failing", true), true);
				failing.stop();
				return failing;
			}, (definition) -> definition.setDependsOn("part"));
			assertThatExceptionOfType(ApplicationContextException.class).isThrownBy(context::refresh);
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> keepingAlive("sharding-of-failed").isEmpty());
		}
	}

	private static List<Thread> keepingAlive(String name) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals(name) && !thread.isDaemon())
			.toList();
	}

	private record Named(String name, boolean start) implements Part {

		@Override
		public void stop() {
			// Nothing runs.
		}

	}

}
