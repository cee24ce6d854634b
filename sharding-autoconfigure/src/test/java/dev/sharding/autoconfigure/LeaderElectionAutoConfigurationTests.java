package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import dev.sharding.leadership.LeaderElection;
import dev.sharding.leadership.LeaderOnly;
import dev.sharding.leadership.LeaderWork;
import dev.sharding.leadership.LeadershipAcquiredEvent;
import dev.sharding.leadership.LeadershipEvent;
import dev.sharding.leadership.LeadershipListener;
import dev.sharding.leadership.LeadershipLostEvent;
import dev.sharding.shard.LeaderElectedControllers;

import static org.assertj.core.api.Assertions.assertThat;

class LeaderElectionAutoConfigurationTests {

	/* A stop waits for as long as the Lease may be given back. */
	private final ApplicationContextRunner runner = Apps.application()
		.withPropertyValues("sharding.lease.namespace=default", "spring.application.name=app",
				"sharding.lease.duration=1s");

	private final ApplicationContextRunner everywhere = this.runner
		.withPropertyValues("sharding.leader-election.enabled=false");

	@Test
	void isNotThereUnlessAskedFor() {
		this.runner.withUserConfiguration(Nobody.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LeaderElection.class)
				.doesNotHaveBean(LeaderElectedControllers.class)
				.doesNotHaveBean("leaderElectionHealthContributor"));
		this.runner.withUserConfiguration(LeaderElectedControllersAutoConfigurationTests.ServiceController.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderElection.class));
	}

	@ParameterizedTest
	@ValueSource(classes = { Injected.class, Provided.class, OfMethod.class, Listening.class, ListeningByClass.class,
			ListenerOfMethod.class, Annotated.class })
	void isThereForABeanThatAsks(Class<?> user) {
		this.runner.withUserConfiguration(user).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LeaderElection.class);
			assertThat(context.getBean(LeaderElectedControllers.class).lease().config().path())
				.isEqualTo("default/app-leader");
			assertThat(context.getBean(LeaderElectedControllers.class).hasWork()).isTrue();
		});
	}

	@Test
	void isThereIfToldTo() {
		this.runner.withPropertyValues("sharding.leader-election.enabled=true")
			.run((context) -> assertThat(context).hasSingleBean(LeaderElection.class));
	}

	@Test
	void isThatOfTheLeaderElectedControllers() {
		this.runner
			.withUserConfiguration(LeaderElectedControllersAutoConfigurationTests.ServiceController.class,
					Injected.class)
			.run((context) -> assertThat(context.getBean(LeaderElection.class))
				.isSameAs(context.getBean(LeaderElectedControllers.class).leaderElection()));
	}

	@Test
	void isThereBesideAShard() {
		Apps.shard()
			.withUserConfiguration(Injected.class)
			.withPropertyValues("spring.application.name=app", "sharding.lease.duration=1s")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LeaderElection.class));
	}

	@Test
	void isMadeBeforeTheStartAlsoWhereBeansAreMadeLate() {
		this.everywhere.withUserConfiguration(Listening.class)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> awaitAcquired(context.getBean(Listening.class)));
	}

	@Test
	void nobodyLeadsWithoutAnAnswerOfTheApiServer() {
		this.runner.withUserConfiguration(Annotated.class, Listening.class).run((context) -> {
			assertThat(context.getBean(LeaderElection.class).isLeader()).isFalse();
			context.getBean(Annotated.class).work();
			assertThat(context.getBean(Annotated.class).runs()).hasValue(0);
			assertThat(context.getBean(Listening.class).events).isEmpty();
			HealthIndicator health = context.getBean("leaderElectionHealthContributor", HealthIndicator.class);
			assertThat(health.health().getStatus()).isNotEqualTo(Status.UP);
			assertThat(health.health().getDetails()).containsEntry("leader", false);
		});
	}

	@Test
	void everybodyLeadsIfThereIsNoElection() {
		this.everywhere.withUserConfiguration(Annotated.class, Listening.class).run((context) -> {
			awaitAcquired(context.getBean(Listening.class));
			assertThat(context.getBean(LeaderElection.class).isLeader()).isTrue();
			context.getBean(Annotated.class).work();
			assertThat(context.getBean(Annotated.class).runs()).hasValue(1);
			HealthIndicator health = context.getBean("leaderElectionHealthContributor", HealthIndicator.class);
			assertThat(health.health().getStatus()).isEqualTo(Status.UP);
			assertThat(health.health().getDetails()).containsEntry("leader", true);
		});
	}

	@Test
	void saysThatItIsOverBeforeTheBeansGo() {
		this.everywhere.withUserConfiguration(Listening.class)
			.run((context) -> awaitAcquired(context.getBean(Listening.class)));
		assertThat(Listening.last).containsExactly(new LeadershipAcquiredEvent(""), new LeadershipLostEvent(""));
	}

	@Test
	void runsScheduledMethodsOfTheLeader() {
		this.everywhere.withUserConfiguration(Job.class)
			.run((context) -> Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.until(() -> context.getBean(Job.class).runs() > 1));
		this.runner.withUserConfiguration(Job.class).run((context) -> {
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> context.getBean(Job.class).others() > 1);
			assertThat(context.getBean(Job.class).runs()).isZero();
		});
	}

	@Test
	void anElectionOfTheUserIsTheOneThatIsAsked() {
		this.runner.withUserConfiguration(OwnElection.class, Annotated.class).run((context) -> {
			context.getBean(Annotated.class).work();
			assertThat(context.getBean(Annotated.class).runs()).hasValue(1);
			assertThat(context.getBean(LeaderElectedControllers.class).hasWork()).isFalse();
			HealthIndicator health = context.getBean("leaderElectionHealthContributor", HealthIndicator.class);
			assertThat(health.health().getStatus()).isEqualTo(Status.UNKNOWN);
			assertThat(health.health().getDetails()).containsEntry("leader", true);
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { Returning.class, Hidden.class, Final.class, FinalMethod.class, Static.class })
	void refusesAMethodThatCannotBeKeptFromRunning(Class<?> mistake) {
		this.runner.withUserConfiguration(mistake).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = Apps.analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("@LeaderOnly", "'work'");
			assertThat(analysis.getAction()).contains("LeaderElection");
		});
	}

	@Test
	void refusesAMethodThatWasNotSeenInTime() {
		this.runner.withUserConfiguration(Disguised.class).run((context) -> {
			FailureAnalysis analysis = Apps.analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("'job'", "@LeaderOnly");
			assertThat(analysis.getAction()).contains("'sharding.leader-election.enabled'");
		});
		this.runner.withUserConfiguration(Disguised.class)
			.withPropertyValues("sharding.leader-election.enabled=true")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void saysWhatIsWrongWithTheLease() {
		this.runner.withUserConfiguration(Injected.class)
			.withPropertyValues("sharding.leader-election.lease-name=No_Lease")
			.run((context) -> assertThat(Apps.analysis(context.getStartupFailure()).getAction())
				.contains("'sharding.leader-election.lease-name'"));
	}

	private static void awaitAcquired(Listening listening) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !listening.events.isEmpty());
	}

	static class Nobody {

		@EventListener
		void anything(Object event) {
		}

	}

	static class Injected {

		Injected(LeaderElection election) {
		}

	}

	static class Provided {

		Provided(ObjectProvider<LeaderElection> election) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfMethod {

		@Bean
		String user(LeaderElection election) {
			return "user";
		}

	}

	static class Listening {

		static List<LeadershipEvent> last = List.of();

		final List<LeadershipEvent> events = new CopyOnWriteArrayList<>();

		Listening() {
			last = this.events;
		}

		@EventListener
		void changed(LeadershipEvent event) {
			this.events.add(event);
		}

	}

	static class ListeningByClass {

		@EventListener(LeadershipAcquiredEvent.class)
		void begin() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ListenerOfMethod {

		@Bean
		ApplicationListener<PayloadApplicationEvent<LeadershipAcquiredEvent>> listener() {
			return (event) -> {
			};
		}

	}

	static class Annotated {

		private final AtomicInteger runs = new AtomicInteger();

		@LeaderOnly
		void work() {
			this.runs.incrementAndGet();
		}

		AtomicInteger runs() {
			return this.runs;
		}

	}

	@EnableScheduling
	static class Job implements Runnable {

		private final AtomicInteger runs = new AtomicInteger();

		private final AtomicInteger others = new AtomicInteger();

		@LeaderOnly
		@Scheduled(fixedDelay = 20)
		@Override
		public void run() {
			this.runs.incrementAndGet();
		}

		@Scheduled(fixedDelay = 20)
		void other() {
			this.others.incrementAndGet();
		}

		int runs() {
			return this.runs.get();
		}

		int others() {
			return this.others.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Disguised {

		@Bean
		Runnable job() {
			return new Job();
		}

	}

	static class OwnElection {

		@Bean
		LeaderElection election() {
			return new LeaderElection() {

				@Override
				public boolean isLeader() {
					return true;
				}

				@Override
				public void requireLeader() {
				}

				@Override
				public Optional<LeaderWork> begin() {
					return Optional.of(() -> {
					});
				}

				@Override
				public void addListener(LeadershipListener listener) {
				}

			};
		}

	}

	static class Returning {

		@LeaderOnly
		int work() {
			return 1;
		}

	}

	static class Hidden {

		@LeaderOnly
		private void work() {
		}

	}

	static final class Final {

		@LeaderOnly
		void work() {
		}

	}

	static class FinalMethod {

		@LeaderOnly
		final void work() {
		}

	}

	static class Static {

		@LeaderOnly
		static void work() {
		}

	}

}
