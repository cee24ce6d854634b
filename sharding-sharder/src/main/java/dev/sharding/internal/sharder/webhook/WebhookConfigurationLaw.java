package dev.sharding.internal.sharder.webhook;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Says what the MutatingWebhookConfiguration of a ring must be (protocol section 1.4): it
 * asks the webhook about creates and updates of objects without the shard label.
 */
final class WebhookConfigurationLaw {

	static final String NAME_PREFIX = "controllerring-";

	private static final String WEBHOOK = "sharder.sharding.timebertt.dev";

	private static final String UNASSIGNED = "unassigned";

	/*
	 * The selector matches the state before a write as well: by it alone the API server
	 * would ask about the write that assigns an object, which would then wait for a
	 * webhook that does not answer. An empty label names no shard.
	 */
	private static final String WITHOUT_SHARD = "!has(object.metadata.labels)"
			+ " || !('LABEL' in object.metadata.labels) || object.metadata.labels['LABEL'] == ''";

	private static final List<String> CREATES = List.of("CREATE");

	private static final List<String> WRITES = List.of("CREATE", "UPDATE");

	private static final int TIMEOUT_SECONDS = 5;

	private static final Pattern RESOURCE = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");

	private static final Pattern GROUP = Pattern.compile("(" + RESOURCE + "(\\." + RESOURCE + ")*)?");

	private WebhookConfigurationLaw() {
	}

	static String name(String ring) {
		return NAME_PREFIX + ring;
	}

	/**
	 * Returns what to apply.
	 * @param watching whether a watch assigns what stays unassigned; then nobody is asked
	 * about updates that the webhook would leave alone, such as the write by which a
	 * shard lets go of an object
	 * @param caBundle the authorities to trust, base64 of PEM, or {@code null} to leave
	 * that field to the template or to somebody else
	 */
	static MutatingWebhookConfiguration of(ControllerRing ring, WebhookTemplate template, boolean watching,
			@Nullable String caBundle) {
		String name = ring.getMetadata().getName();
		return new MutatingWebhookConfigurationBuilder().withNewMetadata()
			.withName(name(name))
			.withLabels(
					Map.of(ShardingLabels.APP_NAME, ShardingLabels.APP_NAME_SHARDER, ShardingLabels.LEASE_RING, name))
			.withAnnotations(template.annotations())
			.addNewOwnerReference()
			.withApiVersion(ring.getApiVersion())
			.withKind(ring.getKind())
			.withName(name)
			.withUid(ring.getMetadata().getUid())
			.withController(true)
			.withBlockOwnerDeletion(true)
			.endOwnerReference()
			.endMetadata()
			.withWebhooks(new MutatingWebhookBuilder().withName(WEBHOOK)
				.withAdmissionReviewVersions("v1")
				.withSideEffects("None")
				.withFailurePolicy("Ignore")
				.withTimeoutSeconds(TIMEOUT_SECONDS)
				.withClientConfig(template.clientConfig(name, caBundle))
				.withNamespaceSelector((ring.getSpec().namespaceSelector() != null) ? ring.getSpec().namespaceSelector()
						: template.namespaceSelector())
				.withObjectSelector(new LabelSelectorBuilder().addNewMatchExpression()
					.withKey(ShardingLabels.shard(name))
					.withOperator("DoesNotExist")
					.endMatchExpression()
					.build())
				.addNewMatchCondition()
				.withName(UNASSIGNED)
				.withExpression(WITHOUT_SHARD.replace("LABEL", ShardingLabels.shard(name)))
				.endMatchCondition()
				.withRules(rules(ring.getSpec(), watching))
				.build())
			.build();
	}

	private static List<RuleWithOperations> rules(ControllerRingSpec spec, boolean watching) {
		List<RuleWithOperations> rules = new ArrayList<>();
		for (ControllerRingSpec.MainResource main : spec.resources()) {
			boolean left = watching && !main.controlledResources().isEmpty();
			add(rules, main.group(), main.resource(), left ? CREATES : WRITES);
			main.controlledResources()
				.forEach((controlled) -> add(rules, controlled.group(), controlled.resource(), WRITES));
		}
		return rules;
	}

	/*
	 * In a rule '*' means all there is, and 'pods/status' a part of an object. The
	 * definition of the Go project lets both into a ring.
	 */
	private static void add(List<RuleWithOperations> rules, String group, String resource, List<String> operations) {
		if (GROUP.matcher(group).matches() && RESOURCE.matcher(resource).matches()) {
			rules.add(new RuleWithOperationsBuilder().withOperations(operations)
				.withApiGroups(group)
				.withApiVersions("*")
				.withResources(resource)
				.withScope("*")
				.build());
		}
	}

}
