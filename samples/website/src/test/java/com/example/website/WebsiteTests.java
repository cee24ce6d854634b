package com.example.website;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.Conditions;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.info.InfoEndpoint;

import static org.assertj.core.api.Assertions.assertThat;

// region test
@ShardingTest(main = Website.class, controlled = { ConfigMap.class, Deployment.class, Service.class },
		crds = "/META-INF/fabric8/websites.example.com-v1.yml", roles = "/deploy/base/access.yaml")
class WebsiteTests {
// endregion

	private static final DnsProvider dns = new DnsProvider();

	static {
		// Before any shard of this class starts.
		System.setProperty("website.dns-url", dns.url);
	}

	@BeforeAll
	static void patience() {
		Awaitility.setDefaultTimeout(Duration.ofSeconds(90));
	}

	// region published
	@Test
	void publishesAWebsite(TestRing ring) {
		create(ring, "hello", null);
		await(ring, "hello", "Starting");
		assertThat(page(ring, "hello").getData()).containsEntry("index.html", "<h1>hello</h1>");
		assertThat(dns.records).containsEntry("hello.example.com", "hello." + ring.name());
		serve(ring, "hello");
		Condition ready = await(ring, "hello", "Served");
		Awaitility.await().until(() -> reasons(ring, "hello").contains("Served"));
		assertThat(ready.getObservedGeneration()).isEqualTo(website(ring, "hello").getMetadata().getGeneration());
	}
	// endregion

	@Test
	void changesBackWhatOthersChange(TestRing ring) {
		create(ring, "healed", null);
		await(ring, "healed", "Starting");
		ring.client()
			.resource(page(ring, "healed"))
			.edit((map) -> new ConfigMapBuilder(map).addToData("index.html", "vandal").build());
		Awaitility.await()
			.until(() -> "<h1>healed</h1>".equals(page(ring, "healed").getData().get("index.html")));
	}

	@Test
	void startsAnewWithNewCredentials(TestRing ring) {
		create(ring, "guarded", "readers");
		await(ring, "guarded", "CredentialsMissing");
		Secret secret = ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(ring.name())
				.withName("readers")
				.endMetadata()
				.addToStringData("htpasswd", "one")
				.build())
			.create();
		await(ring, "guarded", "Starting");
		assertThat(credentialsOf(ring, "guarded")).isEqualTo(secret.getMetadata().getResourceVersion());
		Secret changed = ring.client()
			.resource(secret)
			.edit((it) -> new SecretBuilder(it).addToStringData("htpasswd", "two").build());
		Awaitility.await()
			.until(() -> credentialsOf(ring, "guarded").equals(changed.getMetadata().getResourceVersion()));
	}

	@Test
	void leavesNothingBehind(TestRing ring) {
		Website website = create(ring, "gone", null);
		await(ring, "gone", "Starting");
		dns.refusals.set(2);
		ring.client().resource(website).delete();
		Awaitility.await().until(() -> website(ring, "gone") == null);
		assertThat(dns.records).doesNotContainKey("gone.example.com");
	}

	@Test
	void leavesNothingBehindThatItDoesNotKnowToBeThere(TestRing ring) {
		dns.losesAnswers.set(true);
		try {
			Website website = create(ring, "half", null);
			Awaitility.await().until(() -> dns.records.containsKey("half.example.com"));
			assertThat(website(ring, "half").getStatus().host).isEqualTo("half.example.com");
			ring.client().resource(website).delete();
		}
		finally {
			dns.losesAnswers.set(false);
		}
		Awaitility.await().until(() -> website(ring, "half") == null);
		assertThat(dns.records).doesNotContainKey("half.example.com");
	}

	@Test
	void anotherReplicaTakesItsShareAndChangesNothing(TestRing ring) {
		for (int i = 0; i < 30; i++) {
			create(ring, "shared-" + i, null);
		}
		for (int i = 0; i < 30; i++) {
			await(ring, "shared-" + i, "Starting");
		}
		int changes = dns.changes.get();
		List<String> versions = versions(ring);
		try (TestShard second = ring.startShard("shard-2")) {
			Awaitility.await().untilAsserted(() -> assertThat(second).hasShare());
			Awaitility.await().untilAsserted(() -> assertThat(ring).isSettled());
		}
		Awaitility.await().untilAsserted(() -> assertThat(ring).isSettled());
		assertThat(dns.changes).hasValue(changes);
		assertThat(versions(ring)).isEqualTo(versions);
	}

	@Test
	void showsItsShare(TestRing ring, @Autowired InfoEndpoint info) {
		create(ring, "counted", null);
		serveSoon(ring, "counted");
		await(ring, "counted", "Served");
		assertThat(info.info()).extractingByKey("websites").asString().contains("ready=");
	}

	@Test
	void readsWhatItWroteAndWhatOthersWrote(TestRing ring, @Autowired ResourceCache<Website> websites) {
		create(ring, "read", null);
		await(ring, "read", "Starting");
		// region own
		Website mine = websites.get(ring.name(), "read").orElseThrow();
		websites.patch(mine, (website) -> {
			website.getSpec().text = "changed";
			return website;
		});
		assertThat(websites.get(ring.name(), "read").orElseThrow().getSpec().text).isEqualTo("changed");
		// endregion
		// Without a version, as the operator may write the status at the same time.
		ring.client()
			.resource(website(ring, "read"))
			.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"text\":\"by another\"}}");
		// region consistent
		Website latest = websites.get(new ObjectKey(ring.name(), "read"), Freshness.CONSISTENT).orElseThrow();
		assertThat(latest.getSpec().text).isEqualTo("by another");
		List<Website> all = websites
			.list(ListOptions.all().freshness(Freshness.CONSISTENT.within(Duration.ofSeconds(30))));
		assertThat(all).extracting((website) -> website.getSpec().text).contains("by another");
		// endregion
	}

	@Test
	void tellsOfTwoThatWantOneName(TestRing ring) {
		create(ring, "first", null);
		Website second = website("second", null);
		second.getSpec().host = "first.example.com";
		ring.client().resource(second).inNamespace(ring.name()).create();
		Awaitility.await().until(() -> reasons(ring, "second").contains("HostConflict"));
	}

	// region reasons
	/** The reasons of the Events about a website. */
	private static List<String> reasons(TestRing ring, String name) {
		return ring.client()
			.events()
			.v1()
			.events()
			.inNamespace(ring.name())
			.list()
			.getItems()
			.stream()
			.filter((event) -> event.getRegarding().getName().equals(name))
			.map(Event::getReason)
			.toList();
	}
	// endregion

	@Test
	void theApiServerTakesWhatIsDeployed(TestRing ring) throws IOException {
		ring.client()
			.resource(new NamespaceBuilder().withNewMetadata().withName("websites").endMetadata().build())
			.serverSideApply();
		try (Stream<Path> manifests = Files.list(Path.of("deploy/base"))) {
			for (Path manifest : manifests.filter((path) -> !path.endsWith("kustomization.yaml")).toList()) {
				ring.client()
					.load(Files.newInputStream(manifest))
					.items()
					.forEach((item) -> ring.client().resource(item).dryRun().forceConflicts().serverSideApply());
			}
		}
	}

	private static Website create(TestRing ring, String name, String credentials) {
		return ring.client().resource(website(name, credentials)).inNamespace(ring.name()).create();
	}

	private static Website website(String name, String credentials) {
		Website website = new Website();
		website.setMetadata(new ObjectMetaBuilder().withName(name).build());
		WebsiteSpec spec = new WebsiteSpec();
		spec.host = name + ".example.com";
		spec.text = name;
		spec.credentials = credentials;
		website.setSpec(spec);
		return website;
	}

	private static Website website(TestRing ring, String name) {
		return ring.client().resources(Website.class).inNamespace(ring.name()).withName(name).get();
	}

	private static Condition await(TestRing ring, String name, String reason) {
		return Awaitility.await()
			.until(() -> Conditions.find(website(ring, name).statusOrNew().conditions, "Ready").orElse(null),
					(ready) -> ready != null && ready.getReason().equals(reason));
	}

	private static ConfigMap page(TestRing ring, String name) {
		return ring.client().configMaps().inNamespace(ring.name()).withName(name).get();
	}

	private static Deployment server(TestRing ring, String name) {
		return ring.client().apps().deployments().inNamespace(ring.name()).withName(name).get();
	}

	private static String credentialsOf(TestRing ring, String name) {
		return server(ring, name).getSpec().getTemplate().getMetadata().getAnnotations().get("example.com/credentials");
	}

	/** What the controller of Deployments would do, which no API server does. */
	private static void serve(TestRing ring, String name) {
		ring.client()
			.resource(new DeploymentBuilder(server(ring, name)).withNewStatus()
				.withReplicas(1)
				.withReadyReplicas(1)
				.endStatus()
				.build())
			.updateStatus();
	}

	private static void serveSoon(TestRing ring, String name) {
		Awaitility.await().until(() -> server(ring, name), Objects::nonNull);
		serve(ring, name);
	}

	private static List<String> versions(TestRing ring) {
		return ring.client()
			.apps()
			.deployments()
			.inNamespace(ring.name())
			.list()
			.getItems()
			.stream()
			.filter((server) -> server.getMetadata().getName().startsWith("shared-"))
			.map((server) -> Map.entry(server.getMetadata().getName(), server.getMetadata().getGeneration()).toString())
			.sorted()
			.toList();
	}

}
