package dev.sharding.internal.sharder.webhook;

import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfigBuilder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class WebhookConfigurationLawTests {

	private static final Set<String> EXCLUDED = Set.of("sharding-system", "kube-system");

	private static final WebhookTemplate SERVICE = WebhookTemplate.service("sharding-system", "sharder", EXCLUDED);

	@Test
	@DisplayName("62 name and labels")
	void hasNameAndLabels() {
		MutatingWebhookConfiguration configuration = configuration(SERVICE);
		assertThat(configuration.getMetadata().getName()).isEqualTo("controllerring-my-ring");
		assertThat(configuration.getMetadata().getLabels()).isEqualTo(Map.of("app.kubernetes.io/name",
				"controller-sharding", "alpha.sharding.timebertt.dev/controllerring", "my-ring"));
	}

	@Test
	@DisplayName("63 annotations are copied")
	void copiesAnnotations() {
		Map<String, String> annotations = Map.of("cert-manager.io/inject-ca-from", "sharding-system/webhook-server");
		WebhookTemplate template = new WebhookTemplate(annotations, SERVICE.clientConfig(),
				SERVICE.namespaceSelector());
		assertThat(configuration(template).getMetadata().getAnnotations()).isEqualTo(annotations);
		assertThat(configuration(SERVICE).getMetadata().getAnnotations()).isEmpty();
	}

	@Test
	@DisplayName("64 the ring is the controller")
	void isControlledByTheRing() {
		assertThat(configuration(SERVICE).getMetadata().getOwnerReferences())
			.containsExactly(new OwnerReferenceBuilder().withApiVersion("sharding.timebertt.dev/v1alpha1")
				.withKind("ControllerRing")
				.withName("my-ring")
				.withUid("uid-1")
				.withController(true)
				.withBlockOwnerDeletion(true)
				.build());
	}

	@Test
	@DisplayName("65, 66, 67 one webhook with fixed settings, failure policy and time-out")
	void hasOneWebhook() {
		assertThat(configuration(SERVICE).getWebhooks()).hasSize(1);
		MutatingWebhook webhook = webhook(SERVICE);
		assertThat(webhook.getName()).isEqualTo("sharder.sharding.timebertt.dev");
		assertThat(webhook.getAdmissionReviewVersions()).containsExactly("v1");
		assertThat(webhook.getSideEffects()).isEqualTo("None");
		assertThat(webhook.getFailurePolicy()).isEqualTo("Ignore");
		assertThat(webhook.getTimeoutSeconds()).isEqualTo(5);
		assertThat(webhook.getMatchPolicy()).isNull();
		assertThat(webhook.getReinvocationPolicy()).isNull();
	}

	@Test
	@DisplayName("68 service and path, default and custom; the CA bundle is kept")
	void namesTheService() {
		assertThat(webhook(SERVICE).getClientConfig()).isEqualTo(new WebhookClientConfigBuilder().withNewService()
			.withNamespace("sharding-system")
			.withName("sharder")
			.withPath("/webhooks/sharder/controllerring/my-ring")
			.endService()
			.build());
		WebhookTemplate custom = new WebhookTemplate(Map.of(),
				new WebhookClientConfigBuilder().withCaBundle("Zm9v")
					.withNewService()
					.withNamespace("other")
					.withName("webhook")
					.withPort(8443)
					.endService()
					.build(),
				SERVICE.namespaceSelector());
		assertThat(webhook(custom).getClientConfig().getService().getPort()).isEqualTo(8443);
		assertThat(webhook(custom).getClientConfig().getService().getNamespace()).isEqualTo("other");
		assertThat(webhook(custom).getClientConfig().getCaBundle()).isEqualTo("Zm9v");
		assertThat(WebhookConfigurationLaw.of(ring(null), custom, false, "YmFy")
			.getWebhooks()
			.get(0)
			.getClientConfig()
			.getCaBundle()).isEqualTo("YmFy");
		assertThat(custom.hosts()).containsExactly("webhook.other", "webhook.other.svc",
				"webhook.other.svc.cluster.local");
	}

	@Test
	@DisplayName("69 URL with and without trailing slash")
	void namesTheUrl() {
		String expected = "https://127.0.0.1:9443/base/webhooks/sharder/controllerring/my-ring";
		for (String url : List.of("https://127.0.0.1:9443/base", "https://127.0.0.1:9443/base/")) {
			WebhookTemplate template = WebhookTemplate.url(url, EXCLUDED);
			assertThat(webhook(template).getClientConfig().getUrl()).isEqualTo(expected);
			assertThat(webhook(template).getClientConfig().getService()).isNull();
			assertThat(template.hosts()).containsExactly("127.0.0.1");
		}
		assertThat(WebhookTemplate.url("https://[::1]:9443/", EXCLUDED).hosts()).containsExactly("::1");
	}

	@Test
	@DisplayName("70 namespace selector: default, configured, of the ring")
	void selectsNamespaces() {
		LabelSelector standard = new LabelSelectorBuilder().addNewMatchExpression()
			.withKey("kubernetes.io/metadata.name")
			.withOperator("NotIn")
			.withValues("kube-system", "sharding-system")
			.endMatchExpression()
			.build();
		assertThat(webhook(SERVICE).getNamespaceSelector()).isEqualTo(standard);
		LabelSelector configured = new LabelSelectorBuilder().addToMatchLabels("team", "a").build();
		WebhookTemplate template = new WebhookTemplate(Map.of(), SERVICE.clientConfig(), configured);
		assertThat(webhook(template).getNamespaceSelector()).isEqualTo(configured);
		LabelSelector own = new LabelSelectorBuilder().addToMatchLabels("team", "b").build();
		assertThat(WebhookConfigurationLaw.of(ring(own), template, false, null)
			.getWebhooks()
			.get(0)
			.getNamespaceSelector()).isEqualTo(own);
	}

	@Test
	@DisplayName("71 only unassigned objects")
	void selectsUnassignedObjects() {
		assertThat(webhook(SERVICE).getObjectSelector()).isEqualTo(new LabelSelectorBuilder().addNewMatchExpression()
			.withKey("shard.alpha.sharding.timebertt.dev/my-ring")
			.withOperator("DoesNotExist")
			.endMatchExpression()
			.build());
		assertThat(webhook(SERVICE).getMatchConditions()).singleElement()
			.extracting(MatchCondition::getExpression)
			.isEqualTo("!has(object.metadata.labels)"
					+ " || !('shard.alpha.sharding.timebertt.dev/my-ring' in object.metadata.labels)"
					+ " || object.metadata.labels['shard.alpha.sharding.timebertt.dev/my-ring'] == ''");
	}

	@Test
	@DisplayName("72, 73 a rule for each resource, in the order of the ring")
	void hasRulesForAllResources() {
		assertThat(webhook(SERVICE).getRules()).containsExactly(rule("example.com", "widgets"),
				rule("apps", "deployments"), rule("", "configmaps"), rule("", "secrets"));
	}

	@Test
	@DisplayName("With a watch it is not asked about updates of main objects that it would leave alone")
	void isNotAskedAboutWhatItLeavesAlone() {
		List<RuleWithOperations> rules = WebhookConfigurationLaw.of(ring(null), SERVICE, true, null)
			.getWebhooks()
			.get(0)
			.getRules();
		assertThat(rules).filteredOn((rule) -> !rule.getOperations().contains("UPDATE"))
			.containsExactly(rule("example.com", "widgets", "CREATE"));
		assertThat(rules).hasSameSizeAs(webhook(SERVICE).getRules());
	}

	@ParameterizedTest
	@CsvSource({ "'*', '*'", "'', '*'", "'', '*/*'", "'', pods/status", "'', 'pods/*'", "'', ''", "'*', secrets",
			"'*.example.com', widgets", "Example.com, widgets", "'', Pods" })
	@DisplayName("A ring that lists more than resources has the API server ask about its resources only")
	void hasNoRuleForWhatIsNoResource(String group, String resource) {
		ControllerRing ring = ring(null);
		ring.setSpec(new ControllerRingSpec(
				List.of(new MainResource(group, resource, List.of(new ControlledResource("", "configmaps"))),
						new MainResource("apps", "deployments", List.of(new ControlledResource(group, resource)))),
				null));
		assertThat(WebhookConfigurationLaw.of(ring, SERVICE, false, null).getWebhooks().get(0).getRules())
			.containsExactly(rule("", "configmaps"), rule("apps", "deployments"));
	}

	private static RuleWithOperations rule(String group, String resource) {
		return rule(group, resource, "CREATE", "UPDATE");
	}

	private static RuleWithOperations rule(String group, String resource, String... operations) {
		return new RuleWithOperationsBuilder().withOperations(operations)
			.withApiGroups(group)
			.withApiVersions("*")
			.withResources(resource)
			.withScope("*")
			.build();
	}

	private static MutatingWebhook webhook(WebhookTemplate template) {
		return configuration(template).getWebhooks().get(0);
	}

	private static MutatingWebhookConfiguration configuration(WebhookTemplate template) {
		return WebhookConfigurationLaw.of(ring(null), template, false, null);
	}

	private static ControllerRing ring(LabelSelector namespaces) {
		ControllerRing ring = new ControllerRing();
		ring.setMetadata(new ObjectMetaBuilder().withName("my-ring").withUid("uid-1").build());
		ring.setSpec(new ControllerRingSpec(
				List.of(new MainResource("example.com", "widgets",
						List.of(new ControlledResource("apps", "deployments"),
								new ControlledResource("", "configmaps"))),
						new MainResource("", "secrets", List.of())),
				namespaces));
		return ring;
	}

}
