// Whether something waits at the owners' page: counts alone, for the first page.
import { useQuery } from "@tanstack/react-query";
import { call, service } from "../api/client";

export const useOwnerNews = () =>
  useQuery({ queryKey: ["owners", "news"], queryFn: () => call(service.GET("/owner-questions/news")) });
