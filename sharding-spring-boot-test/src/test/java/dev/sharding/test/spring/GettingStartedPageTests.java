package dev.sharding.test.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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

	private static final Path TEMPLATES = Path.of("../sharding-archetype/src/main/resources/archetype-resources");

	private static final Path METADATA = Path.of("../sharding-archetype/src/main/resources/META-INF");

	private static final Pattern FILE = Pattern.compile("(?ms)^`([^`\\n]+)`:\\n\\n```\\w+\\n(.*?)^```$");

	private static final Map<String, String> PARAMETERS = Map.of("${package}", "com.example", "${artifactId}",
			"greetings", "${version}", "1.0.0", "${kind}", "Greeting", "${plural}", "greetings", "${apiGroup}",
			"example.com");

	private final KubernetesSerialization yaml = new KubernetesSerialization();

	@Test
	void showsWhatIsGenerated() throws IOException {
		Matcher files = FILE.matcher(Files.readString(Path.of("../docs/getting-started.md")));
		Set<String> shown = new TreeSet<>();
		while (files.find()) {
			assertThat(files.group(2)).as(files.group(1)).isEqualTo(generated().get(files.group(1)));
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
			.contains("create sharding.timebertt.dev/controllerrings", "patch sharding.timebertt.dev/controllerrings")
			// Whoever has these everywhere may take the Lease of any shard of any ring.
			.doesNotContain("join sharding.timebertt.dev/controllerrings")
			.noneMatch((right) -> right.contains("leases"));
		Role lease = (Role) only(read(generated().get("deploy/sharding.yaml")), "greetings-shard-lease");
		assertThat(lease.getMetadata().getNamespace()).isEqualTo("greetings");
		assertThat(lease.getRules())
			.isEqualTo(((ClusterRole) only(ofRing, "sharding:shard-lease:greetings")).getRules());
	}

	@Test
	void eachRoleIsBoundWhereItIs() throws IOException {
		List<HasMetadata> roles = new ArrayList<>(read(generated().get("deploy/sharding.yaml")));
		roles.addAll(read(generated().get("deploy/access.yaml")));
		List<String> bound = new ArrayList<>();
		for (HasMetadata manifest : read(generated().get("deploy/binding.yaml"))) {
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
		for (String file : List.of("cluster-role.yaml", "role.yaml")) {
			needed.addAll(rights(read(Files.readString(Path.of("../config/rbac", file))), "sharding:sharder"));
		}
		assertThat(rights("greetings-sharder")).isEqualTo(needed);
	}

	private Set<String> rights(String role) throws IOException {
		return rights(read(generated().get("deploy/sharding.yaml")), role);
	}

	private static Set<String> rights(List<HasMetadata> manifests, String role) {
		Set<String> rights = new TreeSet<>();
		for (HasMetadata manifest : manifests) {
			List<PolicyRule> rules = (manifest instanceof ClusterRole all) ? all.getRules()
					: (manifest instanceof Role some) ? some.getRules() : List.of();
			if (manifest.getMetadata().getName().equals(role)) {
				rules
					.forEach((rule) -> rule.getVerbs()
						.forEach((verb) -> rule.getApiGroups()
							.forEach((group) -> rule.getResources()
								.forEach((resource) -> rights.add("%s %s/%s%s%s".formatted(verb, group, resource,
										manifest instanceof Role ? " in sharding-system" : "",
										names(manifest, rule)))))));
			}
		}
		assertThat(rights).as(role).isNotEmpty();
		return rights;
	}

	/* A ClusterRole that names a ring is as good as one for all. */
	private static String names(HasMetadata manifest, PolicyRule rule) {
		return (manifest instanceof Role && !rule.getResourceNames().isEmpty()) ? " " + rule.getResourceNames() : "";
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

	/** The project, file by file. */
	private static Map<String, String> generated() throws IOException {
		Map<String, String> project = new TreeMap<>();
		try (Stream<Path> templates = Files.walk(TEMPLATES)) {
			for (Path template : templates.filter(Files::isRegularFile).toList()) {
				String name = TEMPLATES.relativize(template)
					.toString()
					.replace("__kind__", "Greeting")
					.replaceFirst("^(src/\\w+/java)/", "$1/com/example/");
				project.put(name, filled(Files.readString(template)));
			}
		}
		return project;
	}

	private static String filled(String template) {
		String filled = template;
		for (Map.Entry<String, String> parameter : PARAMETERS.entrySet()) {
			filled = filled.replace(parameter.getKey(), parameter.getValue());
		}
		return filled;
	}

}
