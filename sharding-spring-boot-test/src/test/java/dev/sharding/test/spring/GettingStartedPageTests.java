package dev.sharding.test.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.RingRoles;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page shows is what the archetype generates, which samples/run builds and
 * tests, and what is generated has the rights that it needs.
 */
class GettingStartedPageTests {

	private static final Path METADATA = Path.of("../sharding-archetype/src/main/resources/META-INF");

	private static final Pattern FILE = Pattern.compile("(?ms)^`([^`\\n]+)`:\\n\\n```\\w+\\n(.*?)^```$");

	private static final GeneratedProject PROJECT = new GeneratedProject("Greeting", "greetings", "example.com");

	private final KubernetesSerialization yaml = new KubernetesSerialization();

	@Test
	void showsWhatIsGenerated() throws IOException {
		Matcher files = FILE.matcher(Files.readString(Path.of("../docs/getting-started.md")));
		Set<String> shown = new TreeSet<>();
		while (files.find()) {
			assertThat(files.group(2)).as(files.group(1)).isEqualTo(PROJECT.files().get(files.group(1)));
			shown.add(files.group(1));
		}
		assertThat(shown).contains("src/main/java/com/example/Greeting.java",
				"src/main/java/com/example/GreetingReconciler.java", "src/test/java/com/example/TestApplication.java",
				"src/main/resources/application.yaml");
	}

	/* Maven holds no value against the expressions where it does not ask for it. */
	@Test
	void whatIsGeneratedIsHeldAgainstTheExpressionsOfTheDescriptor() throws IOException {
		List<String> expressions = Pattern.compile("<validationRegex>(.+)</validationRegex>")
			.matcher(Files.readString(METADATA.resolve("maven/archetype-metadata.xml")))
			.results()
			.map((expression) -> "==~ /" + expression.group(1) + "/")
			.toList();
		assertThat(expressions).hasSize(4);
		assertThat(Files.readString(METADATA.resolve("archetype-post-generate.groovy"))).contains(expressions);
	}

	@Test
	void theShardHasTheRightsOfOne() throws IOException {
		ControllerRing ring = this.yaml.unmarshal("""
				metadata: {name: greetings}
				spec:
				  resources:
				  - {group: example.com, resource: greetings, controlledResources: [{group: "", resource: configmaps}]}
				""", ControllerRing.class);
		List<HasMetadata> ofRing = RingRoles.of(ring);
		Set<String> shard = rights("greetings-shard");
		assertThat(shard).containsAll(rights(ofRing, "sharding:shard:greetings"))
			// For sharding.definition.apply.
			.contains("create sharding.timebertt.dev/controllerrings [greetings]",
					"patch sharding.timebertt.dev/controllerrings [greetings]")
			// Whoever has these everywhere may take the Lease of any shard of any ring.
			.noneMatch((right) -> right.startsWith("join") || right.contains("leases"));
		Role lease = (Role) only(read(PROJECT.files().get("deploy/sharding.yaml")), "greetings-shard-lease");
		assertThat(lease.getMetadata().getNamespace()).isEqualTo("greetings");
		assertThat(lease.getRules())
			.isEqualTo(((ClusterRole) only(ofRing, "sharding:shard-lease:greetings")).getRules());
	}

	@Test
	void eachRoleIsBoundWhereItIs() throws IOException {
		List<HasMetadata> roles = new ArrayList<>(read(PROJECT.files().get("deploy/sharding.yaml")));
		roles.addAll(read(PROJECT.files().get("deploy/access.yaml")));
		List<String> bound = new ArrayList<>();
		for (HasMetadata manifest : read(PROJECT.files().get("deploy/binding.yaml"))) {
			if (manifest instanceof ClusterRoleBinding binding) {
				bound.add(binding.getRoleRef().getKind() + " " + binding.getRoleRef().getName());
			}
			else if (manifest instanceof RoleBinding binding) {
				bound.add(binding.getRoleRef().getKind() + " " + binding.getRoleRef().getName() + " in "
						+ binding.getMetadata().getNamespace());
			}
		}
		assertThat(bound).containsExactlyInAnyOrderElementsOf(roles.stream()
			.map((role) -> role.getKind() + " " + role.getMetadata().getName()
					+ ((role instanceof Role) ? " in " + role.getMetadata().getNamespace() : ""))
			.toList());
	}

	@Test
	void theSharderHasTheRightsOfAnInstallation() throws IOException {
		ControllerRing ring = this.yaml.unmarshal("""
				metadata: {name: greetings}
				spec:
				  resources:
				  - {group: example.com, resource: greetings, controlledResources: [{group: "", resource: configmaps}]}
				""", ControllerRing.class);
		Set<String> needed = rights(RingRoles.of(ring), "sharding:controllerring:greetings");
		for (String file : List.of("rbac/cluster-role.yaml", "rbac/role.yaml")) {
			needed.addAll(rights(config(file), "sharding:sharder"));
		}
		// Where the Leases of its shards are, and nowhere else.
		Set<String> narrow = rights(config("narrow/leases.yaml"), "sharding:sharder-leases");
		needed.removeAll(narrow);
		assertThat(rights("greetings-sharder")).isEqualTo(needed);
		assertThat(rights("greetings-sharder-leases")).containsExactlyInAnyOrderElementsOf(narrow.stream()
			.map((right) -> right + " in greetings" + (right.startsWith("join") ? " [greetings]" : ""))
			.toList());
	}

	private List<HasMetadata> config(String file) throws IOException {
		return read(Files.readString(Path.of("../config", file)));
	}

	private Set<String> rights(String role) throws IOException {
		return rights(read(PROJECT.files().get("deploy/sharding.yaml")), role);
	}

	private static Set<String> rights(List<HasMetadata> manifests, String role) {
		Set<String> rights = new TreeSet<>();
		for (HasMetadata manifest : manifests) {
			List<PolicyRule> rules = (manifest instanceof ClusterRole all) ? all.getRules()
					: (manifest instanceof Role some) ? some.getRules() : List.of();
			if (manifest.getMetadata().getName().equals(role)) {
				rules.forEach((rule) -> rule.getVerbs()
					.forEach((verb) -> rule.getApiGroups()
						.forEach((group) -> rule.getResources()
							.forEach((resource) -> rights.add("%s %s/%s%s%s".formatted(verb, group, resource,
									manifest instanceof Role ? " in " + manifest.getMetadata().getNamespace() : "",
									rule.getResourceNames().isEmpty() ? "" : " " + rule.getResourceNames()))))));
			}
		}
		assertThat(rights).as(role).isNotEmpty();
		return rights;
	}

	private static HasMetadata only(List<HasMetadata> manifests, String name) {
		List<HasMetadata> found = manifests.stream()
			.filter((manifest) -> manifest.getMetadata().getName().equals(name))
			.toList();
		assertThat(found).as(name).hasSize(1);
		return found.get(0);
	}

	private List<HasMetadata> read(String manifests) {
		List<HasMetadata> read = new ArrayList<>();
		for (String manifest : manifests.split("(?m)^---$")) {
			read.add(this.yaml.unmarshal(manifest));
		}
		return read;
	}

}
