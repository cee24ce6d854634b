package dev.sharding.autoconfigure;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.AdditionalPathsMapper;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;

/**
 * Makes whether the controllers have joined a part of the readiness of the application.
 */
final class ReadinessGroups implements HealthEndpointGroupsPostProcessor {

	/** The name of the health contributor. */
	static final String CONTRIBUTOR = "sharding";

	private static final String READINESS = "readiness";

	@Override
	public HealthEndpointGroups postProcessHealthEndpointGroups(HealthEndpointGroups groups) {
		return groups.getNames().contains(READINESS) ? new Groups(groups) : groups;
	}

	/**
	 * The groups of the application. The bean that they replace also tells which paths
	 * besides those below the base path lead to health, such as {@code /readyz}.
	 *
	 * @param groups as they were
	 */
	private record Groups(HealthEndpointGroups groups) implements HealthEndpointGroups, AdditionalPathsMapper {

		@Override
		public @Nullable List<String> getAdditionalPaths(EndpointId endpoint, WebServerNamespace webServer) {
			return (this.groups instanceof AdditionalPathsMapper mapper)
					? mapper.getAdditionalPaths(endpoint, webServer) : null;
		}

		@Override
		public HealthEndpointGroup getPrimary() {
			return this.groups.getPrimary();
		}

		@Override
		public Set<String> getNames() {
			return this.groups.getNames();
		}

		@Override
		public @Nullable HealthEndpointGroup get(String name) {
			HealthEndpointGroup group = this.groups.get(name);
			return (group != null && name.equals(READINESS)) ? new Group(group) : group;
		}

		@Override
		public @Nullable HealthEndpointGroup get(AdditionalHealthEndpointPath path) {
			HealthEndpointGroup group = this.groups.get(path);
			return (group != null && group == this.groups.get(READINESS)) ? new Group(group) : group;
		}

	}

	/**
	 * The readiness group.
	 *
	 * @param group as it was
	 */
	private record Group(HealthEndpointGroup group) implements HealthEndpointGroup {

		@Override
		public boolean isMember(String name) {
			return name.equals(CONTRIBUTOR) || this.group.isMember(name);
		}

		@Override
		public boolean showComponents(SecurityContext securityContext) {
			return this.group.showComponents(securityContext);
		}

		@Override
		public boolean showDetails(SecurityContext securityContext) {
			return this.group.showDetails(securityContext);
		}

		@Override
		public StatusAggregator getStatusAggregator() {
			return this.group.getStatusAggregator();
		}

		@Override
		public HttpCodeStatusMapper getHttpCodeStatusMapper() {
			return this.group.getHttpCodeStatusMapper();
		}

		@Override
		public @Nullable AdditionalHealthEndpointPath getAdditionalPath() {
			return this.group.getAdditionalPath();
		}

	}

}
