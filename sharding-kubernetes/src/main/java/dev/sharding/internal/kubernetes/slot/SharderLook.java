package dev.sharding.internal.kubernetes.slot;

import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.slot.SharderMark;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.protocol.ShardingLabels;

/**
 * Finds out whether the present leader of the sharders leaves slots to their next holder.
 * Blocks.
 */
final class SharderLook {

	private static final Logger logger = LoggerFactory.getLogger(SharderLook.class);

	private static final String RINGS = "/apis/sharding.timebertt.dev/v1alpha1/controllerrings/";

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final SlotLeases leases;

	private final SlotOptions options;

	private boolean warned;

	SharderLook(ApiRequests requests, KubernetesSerialization serialization, SlotLeases leases, SlotOptions options) {
		this.requests = requests;
		this.serialization = serialization;
		this.leases = leases;
		this.options = options;
	}

	boolean honoursSlots() {
		String reason = reason();
		return reason != null && SharderMark.isHonoured(reason, election());
	}

	/** The reason of the condition, {@code null} unless it is true. */
	private @Nullable String reason() {
		Map<?, ?> ring;
		try {
			ring = this.serialization.unmarshal(
					this.requests.call(ApiRequest.of("GET", RINGS + this.options.ring()).within(PATIENCE).exempted())
						.stream(),
					Map.class);
		}
		catch (ApiException ex) {
			if (ex.isNotFound()) {
				// No ring, or no sharder that has installed what a ring is.
				return null;
			}
			throw ex;
		}
		Object conditions = (ring.get("status") instanceof Map<?, ?> status) ? status.get("conditions") : null;
		for (Object entry : (conditions instanceof List<?> list) ? list : List.of()) {
			if (entry instanceof Map<?, ?> condition
					&& ShardingLabels.CONDITION_SLOTS_HONOURED.equals(condition.get("type"))
					&& "True".equals(condition.get("status"))) {
				return String.valueOf(condition.get("reason"));
			}
		}
		return null;
	}

	private SharderMark.@Nullable Election election() {
		try {
			Lease lease = this.leases.get(this.options.electionNamespace(), this.options.electionLease());
			if (lease == null || lease.getSpec() == null) {
				return SharderMark.Election.NONE;
			}
			Map<String, String> annotations = lease.getMetadata().getAnnotations();
			return new SharderMark.Election(lease.getSpec().getHolderIdentity(), lease.getSpec().getLeaseTransitions(),
					(annotations != null) ? annotations.get(ShardingLabels.HONOURS_SLOTS) : null);
		}
		catch (KubernetesClientException ex) {
			if (ex.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
				throw ex;
			}
			if (!this.warned) {
				this.warned = true;
				logger.warn(
						"May not read Lease {}/{}, so that the condition {} of ring {} is believed also if another"
								+ " sharder leads by now; give the right to get it",
						this.options.electionNamespace(), this.options.electionLease(),
						ShardingLabels.CONDITION_SLOTS_HONOURED, this.options.ring());
			}
			return null;
		}
	}

}
