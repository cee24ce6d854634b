package dev.sharding.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.CustomResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.sharding.cache.ResourceCache;
import dev.sharding.client.KubernetesClientCustomizer;
import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.controller.Cleaner;
import dev.sharding.controller.ControllerCustomizer;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.LeaderElectedController;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.internal.autoconfigure.ring.RingFinding;
import dev.sharding.internal.autoconfigure.runtime.ShardPart;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties;
import dev.sharding.internal.sharder.Sharder;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.RuntimeOptionsCustomizer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is said about each mistake that keeps the application from starting, and what to
 * do about it.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupFailureTests {

	private static final String TOKEN = "very-secret";

	@ParameterizedTest(name = "{0}")
	@MethodSource("mistakes")
	void saysWhatIsWrongAndWhatToDo(String mistake, ApplicationContextRunner runner, String description,
			String action) {
		runner.run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = Apps.analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains(description);
			assertThat(analysis.getAction()).contains(action);
		});
	}

	static Stream<Arguments> mistakes() {
		ApplicationContextRunner shard = Apps.shard();
		return Stream.of(
				Arguments.of("no ring", Apps.application().withUserConfiguration(Apps.SecretController.class),
						"@ShardedController", "'sharding.ring'"),
				Arguments.of("ring name", shard.withPropertyValues("sharding.ring=Ring_1"), "Ring_1",
						"'sharding.ring'"),
				Arguments.of("shard name", shard.withPropertyValues("sharding.shard-name=Shard_1"), "Shard_1",
						"'sharding.shard-name'"),
				Arguments.of("long shard name", shard.withPropertyValues("sharding.shard-name=" + "a".repeat(64)),
						"at most 63", "'sharding.shard-name'"),
				Arguments.of("lease times",
						shard.withPropertyValues("sharding.lease.duration=10s", "sharding.lease.renew-deadline=20s"),
						"The times of the Lease are impossible", "'sharding.lease.renew-deadline'"),
				Arguments.of("lease above what is believed", shard.withPropertyValues("sharding.lease.duration=11m"),
						"'sharding.lease.duration' is PT11M, above 'sharding.lease.max-duration', which is PT10M",
						"'sharding.sharder.max-lease-duration'"),
				Arguments.of("no reconciler",
						Apps.application()
							.withUserConfiguration(NoReconciler.class)
							.withPropertyValues("sharding.ring=ring"),
						"noReconciler", "implement Reconciler"),
				Arguments.of("cache of what no controller declares", shard.withUserConfiguration(NeedsServices.class),
						"Parameter 0 of constructor in " + NeedsServices.class.getName()
								+ " needs a ResourceCache<Service>, but no annotated controller declares Service",
						"'owns = Service.class'"),
				Arguments.of("generic controlled resource", shard.withUserConfiguration(GenericOwner.class),
						"Bean 'genericOwner' is a controller that declares "
								+ GenericKubernetesResource.class.getName(),
						"ControllerSpec"),
				Arguments.of("any controlled resource", shard.withUserConfiguration(AnythingOwner.class),
						"Bean 'anythingOwner' is a controller that declares " + HasMetadata.class.getName(),
						"ControllerSpec"),
				Arguments.of("custom resource without annotations", shard.withUserConfiguration(BareController.class),
						"Bean 'bareController' is a controller that declares " + Bare.class.getName(),
						"@Group and @Version"),
				Arguments.of("controlled custom resource without annotations",
						shard.withUserConfiguration(BareOwner.class),
						"Bean 'bareOwner' is a controller that declares " + Bare.class.getName(),
						"@Group and @Version"),
				Arguments.of("two controllers of one name", shard.withUserConfiguration(Namesakes.class),
						"'first' and 'second' are controllers of the same name, 'secret'", ".named("),
				Arguments.of("name of an annotated controller", shard.withUserConfiguration(Impostor.class),
						"'secretController' and 'impostor' are controllers of the same name, 'secretController'",
						".named("),
				Arguments.of("two controllers of one name in two rings",
						shard
							.withUserConfiguration(Namesakes.First.class, FurtherRingsTests.NamelessSpecification.class)
							.withPropertyValues("sharding.rings.elsewhere.shard-name=a"),
						"'first' and 'nameless' are controllers of the same name, 'secret'", "unique over all rings"),
				Arguments.of("two controllers of one resource with one finalizer",
						shard.withUserConfiguration(OneFinalizer.class),
						"'cleansFirst' and 'cleansToo' are controllers of one resource, secrets.v1, with one finalizer,"
								+ " 'example.com/test'",
						"another finalizer"),
				Arguments.of("customizer of a controller that throws",
						Apps.application()
							.withUserConfiguration(ThrowingCustomizer.class)
							.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1",
									"sharding.lease.namespace=default"),
						"Bean 'throwingCustomizer', a ControllerCustomizer, failed: java.lang.NoClassDefFoundError: planned",
						"Correct the bean 'throwingCustomizer'"),
				Arguments.of("customizer of a controller that leaves nonsense",
						Apps.application()
							.withUserConfiguration(NullCustomizer.class)
							.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1",
									"sharding.lease.namespace=default"),
						"Bean 'nullCustomizer', a ControllerCustomizer, failed: java.lang.IllegalArgumentException: 'backoff' must not be null",
						"Correct the bean 'nullCustomizer'"),
				Arguments.of("customizer of the options that throws",
						shard.withBean("mine", RuntimeOptionsCustomizer.class, () -> (options) -> {
							throw new IllegalStateException("planned");
						}), "Bean 'mine', a RuntimeOptionsCustomizer, failed: java.lang.IllegalStateException: planned",
						"Correct the bean 'mine'"),
				Arguments.of("customizer of the options that returns null",
						shard.withBean("mine", RuntimeOptionsCustomizer.class, () -> (options) -> null),
						"Bean 'mine', a RuntimeOptionsCustomizer, failed: java.lang.NullPointerException: it returned no options",
						"Correct the bean 'mine'"),
				Arguments.of("customizer of the client that throws",
						new ApplicationContextRunner().withConfiguration(Apps.everything())
							.withBean("quiet", KubernetesClientCustomizer.class, () -> (builder) -> {
							})
							.withBean("mine", KubernetesClientCustomizer.class, () -> (builder) -> {
								throw new IllegalStateException("planned");
							}),
						"Bean 'mine', a KubernetesClientCustomizer, failed: java.lang.IllegalStateException: planned",
						"Correct the bean 'mine'"),
				Arguments.of("connection without a configuration",
						new ApplicationContextRunner().withConfiguration(Apps.everything())
							.withBean("mine", KubernetesConnectionDetails.class, () -> () -> null),
						"Bean 'mine', a KubernetesConnectionDetails, failed: java.lang.NullPointerException: it has no configuration",
						"Correct the bean 'mine'"),
				Arguments.of("no namespace", shard.withPropertyValues("sharding.lease.namespace="), "no namespace",
						"'sharding.lease.namespace'"),
				Arguments.of("ring twice", shard.withPropertyValues("sharding.rings.ring.shard-name=a"),
						"'sharding.rings.ring'", "Remove one"),
				Arguments.of("one Lease for two rings",
						shard.withPropertyValues("sharding.rings.elsewhere.shard-name=shard-1"),
						"want the same Lease, 'default/shard-1'", "'sharding.rings.elsewhere.shard-name'"),
				Arguments.of("unknown ring", shard.withUserConfiguration(FurtherRingsTests.ElsewhereController.class),
						"'elsewhere'", "'sharding.rings.elsewhere.shard-name'"),
				Arguments.of("long name in a further ring",
						shard.withPropertyValues("sharding.shard-name=" + "a".repeat(60),
								"sharding.rings.elsewhere.lease-namespace=default"),
						"at most 63", "'sharding.rings.elsewhere.shard-name'"),
				Arguments.of("no sharder",
						Apps.application()
							.withPropertyValues("sharding.sharder.enabled=true")
							.withClassLoader(new FilteredClassLoader(Sharder.class)),
						"not on the class path", "dev.sharding:sharding-sharder"),
				Arguments.of("no sharder, beans made late",
						Apps.application()
							.withPropertyValues("sharding.sharder.enabled=true", "spring.main.lazy-initialization=true")
							.withInitializer((context) -> context
								.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
							.withClassLoader(new FilteredClassLoader(Sharder.class)),
						"not on the class path", "dev.sharding:sharding-sharder"),
				Arguments.of("lease times of the sharder",
						Apps.application()
							.withPropertyValues("sharding.sharder.enabled=true",
									"sharding.sharder.leader-election.lease-duration=1500ms"),
						"The leader election of the sharder is impossible", "'sharding.sharder.leader-election.*'"),
				Arguments.of("webhook mode of the sharder",
						Apps.application()
							.withPropertyValues("sharding.sharder.enabled=true", "sharding.sharder.mode=both"),
						"'sharding.sharder.mode' is set, but the sharder in an application has mode watch only",
						"run the sharder as a program"),
				Arguments.of("webhook of the sharder",
						Apps.application()
							.withPropertyValues("sharding.sharder.enabled=true", "sharding.sharder.webhook.port=9443"),
						"'sharding.sharder.webhook' is set", "run the sharder as a program"),
				Arguments.of("application name",
						Apps.application()
							.withUserConfiguration(
									LeaderElectedControllersAutoConfigurationTests.ServiceController.class)
							.withPropertyValues("sharding.lease.namespace=default", "spring.application.name=My App"),
						"'My App-leader', after the application ('spring.application.name')",
						"'sharding.leader-election.lease-name'"),
				Arguments.of("name of the leader's Lease",
						shard.withPropertyValues("sharding.enabled=false",
								"sharding.leader-election.lease-name=Leader"),
						"No Lease can be named 'Leader'", "'sharding.leader-election.lease-name'"),
				Arguments.of("label that loses its slash", shard.withInitializer(Apps.yaml("""
						sharding.definition:
						  apply: true
						  namespace-selector:
						    kubernetes.io/metadata.name: web
						""")), "'sharding.definition.namespace-selector.kubernetes.io/metadata.name'",
						"'sharding.definition.namespace-selector[kubernetes.io/metadata.name]'"),
				Arguments.of("label of a further ring that loses its slash",
						shard.withPropertyValues("sharding.rings.elsewhere.definition.apply=true",
								"sharding.rings.elsewhere.definition.namespaceSelector.example.com/team=a"),
						"'sharding.rings.elsewhere.definition.namespaceSelector.example.com/team'",
						"\"[example.com/team]\""),
				Arguments.of("barrier of a main resource",
						shard.withPropertyValues("sharding.cache.strategies[secrets]=barrier"), "barrier for secrets",
						"'sharding.cache.strategies.secrets' to 'validated' or 'live'"),
				Arguments.of("barrier of a main resource outside any ring",
						shard.withPropertyValues("sharding.enabled=false",
								"sharding.cache.strategies[secrets]=barrier"),
						"barrier for secrets", "'sharding.cache.strategies.secrets' to 'validated' or 'live'"),
				Arguments.of("unreachable", shard.withPropertyValues("sharding.on-startup-problem=fail"),
						"https://127.0.0.1:1/", "KUBECONFIG"),
				Arguments.of("unreachable outside any ring",
						Apps.application()
							.withUserConfiguration(
									LeaderElectedControllersAutoConfigurationTests.ServiceController.class)
							.withPropertyValues("sharding.lease.namespace=default", "sharding.on-startup-problem=fail"),
						"Failed to look at the cluster", "'sharding.on-startup-problem=wait'"),
				Arguments.of("unreachable and not sharded",
						shard.withPropertyValues("sharding.enabled=false", "sharding.on-startup-problem=fail"),
						"Failed to look at the cluster", "'sharding.on-startup-problem=wait'"));
	}

	static class NeedsServices {

		NeedsServices(ResourceCache<Service> cache) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OneFinalizer {

		@Bean
		ControllerSpec<Secret> cleansFirst() {
			return ControllerSpec.of(ResourceType.of(Secret.class), new Cleans()).named("first").build();
		}

		@Bean
		ControllerSpec<Secret> cleansToo() {
			return ControllerSpec.of(ResourceType.of(Secret.class), new Cleans()).named("too").build();
		}

	}

	static class Cleans implements Reconciler<Secret>, Cleaner<Secret> {

		@Override
		public Result reconcile(Secret secret) {
			return Result.done();
		}

		@Override
		public String finalizer() {
			return "example.com/test";
		}

		@Override
		public Result cleanUp(Secret secret) {
			return Result.done();
		}

	}

	@ShardedController("throwingCustomizer")
	static class ThrowingCustomizer implements Reconciler<Secret>, ControllerCustomizer<Secret> {

		@Override
		public Result reconcile(Secret secret) {
			return Result.done();
		}

		@Override
		public void customize(ControllerSpec.Builder<Secret> controller) {
			throw new NoClassDefFoundError("planned");
		}

	}

	@ShardedController("nullCustomizer")
	static class NullCustomizer implements Reconciler<Secret>, ControllerCustomizer<Secret> {

		@Override
		public Result reconcile(Secret secret) {
			return Result.done();
		}

		@Override
		public void customize(ControllerSpec.Builder<Secret> controller) {
			controller.backoff(null);
		}

	}

	/*
	 * Where a ring is kept by somebody else in one place, and made by the application in
	 * another.
	 */
	@Test
	void saysWhatDoesNothingOfARingThatTheApplicationDoesNotMake(CapturedOutput output) {
		Apps.shard().withPropertyValues("sharding.definition.resources[0].resource=secrets").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("of the definition of ring ring do nothing as long as its 'apply' is false");
		});
	}

	@Test
	void namesThePropertyOfABadValue() {
		assertBad("'sharding.reconcile.concurrency' must be positive (is 0)", "sharding.reconcile.concurrency=0");
		assertBad("'sharding.reconcile.min-backoff' must be positive", "sharding.reconcile.min-backoff=0s");
		assertBad("not above 'sharding.reconcile.max-backoff' (are PT5S and PT1S)", "sharding.reconcile.min-backoff=5s",
				"sharding.reconcile.max-backoff=1s");
		assertBad("'sharding.reconcile.stop-timeout' must not be negative", "sharding.reconcile.stop-timeout=-1s");
		assertBad("'sharding.informer.failure-timeout' must be 0 or at least 30s",
				"sharding.informer.failure-timeout=-1s");
		assertBad("'sharding.informer.failure-timeout' must be 0 or at least 30s",
				"sharding.informer.failure-timeout=5s");
		assertBad("'sharding.cache.check-period' must not be negative", "sharding.cache.check-period=-1s");
		assertBad("'sharding.cache.check-reads' must be from 0 to 1", "sharding.cache.check-reads=1.5");
		assertBad("'sharding.cache.marker-namespace' must not be empty", "sharding.cache.marker-namespace=");
		assertBad("'sharding.namespaces' must not contain an empty name", "sharding.namespaces=a,,b");
		assertBad("'sharding.rings.elsewhere.namespaces' must not contain an empty name",
				"sharding.rings.elsewhere.namespaces=a,,b");
		assertBad("'resource' must be the plural name of a resource (is not set)", "sharding.definition.apply=true",
				"sharding.definition.resources[0].group=apps");
		assertBad("'sharding.sharder.sync-period' must be positive", "sharding.sharder.enabled=true",
				"sharding.sharder.sync-period=0s");
		assertBad("'sharding.sharder.concurrent-moves' must be positive", "sharding.sharder.enabled=true",
				"sharding.sharder.concurrent-moves=0");
		assertBad("'sharding.sharder.drain-report-after' must be positive", "sharding.sharder.enabled=true",
				"sharding.sharder.drain-report-after=0s");
		assertBad("'sharding.sharder.max-lease-duration' must be whole seconds, from 1s to 1d",
				"sharding.sharder.enabled=true", "sharding.sharder.max-lease-duration=1500ms");
		assertBad("'sharding.sharder.drain-timeout' must be 0 or not below 'sharding.sharder.drain-report-after'",
				"sharding.sharder.enabled=true", "sharding.sharder.drain-timeout=1s");
		assertBad("'sharding.sharder.drains-per-second' must be 0 or from 0.01 to 10000",
				"sharding.sharder.enabled=true", "sharding.sharder.drains-per-second=-1");
		assertBad("'sharding.sharder.settle' must be from 0s to 1m", "sharding.sharder.enabled=true",
				"sharding.sharder.settle=2m");
		assertBad("No enum constant", "sharding.readiness=sometimes");
		assertBad("'soon' is not a valid duration", "sharding.lease.duration=soon");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("brokenKubeconfigs")
	void saysThatTheClientCannotBeMade(String mistake, String kubeconfig, String description, @TempDir Path folder,
			CapturedOutput output) throws IOException {
		Path file = Files.writeString(folder.resolve("config"), kubeconfig);
		new ApplicationContextRunner().withConfiguration(Apps.everything())
			.withSystemProperties("kubeconfig=" + file)
			.run((context) -> {
				assertThat(context).hasFailed();
				FailureAnalysis analysis = Apps.analysis(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("No client for the cluster", description)
					.doesNotContain(TOKEN);
				assertThat(analysis.getAction()).contains("KUBECONFIG", "~/.kube/config", "service account");
				assertThat(analysis.getCause()).hasCauseInstanceOf(RuntimeException.class);
				assertThat(output).doesNotContain(TOKEN);
			});
	}

	static Stream<Arguments> brokenKubeconfigs() {
		return Stream.of(Arguments.of("broken YAML", "users:\n- user: {token: " + TOKEN + "\nclusters: [", "Exception"),
				Arguments.of("plain text", "the token is " + TOKEN, "Exception"),
				Arguments.of("missing CA file",
						"""
								apiVersion: v1
								kind: Config
								current-context: test
								contexts: [{name: test, context: {cluster: test, user: test}}]
								users: [{name: test, user: {token: %s}}]
								clusters: [{name: test, cluster: {server: "https://127.0.0.1:1", certificate-authority: /none/ca.crt}}]
								"""
							.formatted(TOKEN),
						"/none/ca.crt"));
	}

	@Test
	void takesALabelInBracketsAsItIs() {
		Apps.shard().withInitializer(Apps.yaml("""
				sharding.definition:
				  apply: true
				  namespace-selector:
				    "[kubernetes.io/metadata.name]": web
				    example.com: a
				""")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(ShardingProperties.class).definition().namespaceSelector())
				.containsOnly(Map.entry("kubernetes.io/metadata.name", "web"), Map.entry("example.com", "a"));
		});
	}

	private static void assertBad(String message, String... properties) {
		Apps.shard()
			.withPropertyValues(properties)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
	}

	@Test
	void waitsForAnUnreachableClusterUnlessToldToFail() {
		Apps.shard().run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(ShardPart.class).ring().kind()).isEqualTo(RingFinding.Kind.UNREACHABLE);
		});
	}

	@ShardedController("noReconciler")
	static class NoReconciler {

	}

	@ShardedController(value = "genericOwner", owns = GenericKubernetesResource.class)
	static class GenericOwner implements Reconciler<Secret> {

		@Override
		public Result reconcile(Secret object) {
			return Result.done();
		}

	}

	@LeaderElectedController(value = "anythingOwner", owns = HasMetadata.class)
	static class AnythingOwner implements Reconciler<Secret> {

		@Override
		public Result reconcile(Secret object) {
			return Result.done();
		}

	}

	@ShardedController("bareController")
	static class BareController implements Reconciler<Bare> {

		@Override
		public Result reconcile(Bare object) {
			return Result.done();
		}

	}

	@ShardedController(value = "bareOwner", owns = Bare.class)
	static class BareOwner implements Reconciler<Secret> {

		@Override
		public Result reconcile(Secret object) {
			return Result.done();
		}

	}

	static class Bare extends CustomResource<Void, Void> {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Namesakes.First.class)
	static class Namesakes {

		@Bean
		ControllerSpec<?> second() {
			return secrets().build();
		}

		@Configuration(proxyBeanMethods = false)
		static class First {

			@Bean
			ControllerSpec<?> first() {
				return secrets().build();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Impostor {

		@Bean
		ControllerSpec<?> impostor() {
			return secrets().named("secretController").build();
		}

	}

	private static ControllerSpec.Builder<Secret> secrets() {
		return ControllerSpec.of(ResourceType.of(Secret.class), (secret) -> Result.done());
	}

}
