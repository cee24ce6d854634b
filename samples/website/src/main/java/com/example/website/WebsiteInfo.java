package com.example.website;

import java.util.List;
import java.util.Map;

import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.Conditions;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.stereotype.Component;

/** Shows in {@code /actuator/info} how many websites this replica looks after. */
// region info
@Component
class WebsiteInfo implements InfoContributor {

	private final ResourceCache<Website> websites;

	WebsiteInfo(ResourceCache<Website> websites) {
		this.websites = websites;
	}

	@Override
	public void contribute(Info.Builder builder) {
		List<Website> mine = this.websites.list(ListOptions.all().withoutCopying());
		long ready = mine.stream()
			.filter((website) -> Conditions.isTrue(website.statusOrNew().conditions, "Ready"))
			.count();
		builder.withDetail("websites", Map.of("mine", mine.size(), "ready", ready));
	}

}
// endregion
